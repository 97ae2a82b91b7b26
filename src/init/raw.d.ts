/** The text of a file, which the bundler puts into the program. */
declare module '*?raw' {
  const text: string;
  export default text;
}
