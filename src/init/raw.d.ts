/** The text of a file, inlined by the bundler. */
declare module '*?raw' {
  const text: string;
  export default text;
}
