// A text in JavaScript or TypeScript as the body of a function: its types are left out, and its exports are set.

/**
 * The body of a function of `exports` and `require`; its lines are those of the text.
 *
 * Throws an error that has the line, if the text is neither JavaScript nor TypeScript.
 */
export async function body(text: string): Promise<string> {
  const { transform } = await import("sucrase");
  try {
    return transform(text, { transforms: ["typescript", "imports"], disableESTransforms: true }).code;
  } catch (error) {
    // The library names its file, and gives line and column in brackets.
    const said = error instanceof Error ? error.message : String(error);
    throw new SyntaxError(said.replace(/^Error transforming \S+ /, "").replace(/ \((\d+):(\d+)\)$/, " (line $1)"));
  }
}
