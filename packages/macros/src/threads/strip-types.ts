/** Makes JavaScript of TypeScript: types become blanks, so that lines and columns stay. Throws what is wrong with the text. */
export async function stripTypes(name: string, text: string): Promise<string> {
  // Large, and few threads ever need it.
  const { default: stripper } = await import("@swc/wasm-typescript");
  try {
    return stripper.transformSync(text, { filename: `${name}.ts`, mode: "strip-only", module: true }).code;
  } catch (error) {
    const { message } = error as { message?: unknown };
    throw new SyntaxError(typeof message === "string" ? message : String(error), { cause: error });
  }
}
