/** The one file that imports commander. */
export { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
