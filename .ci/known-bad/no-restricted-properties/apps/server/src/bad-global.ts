export const port = globalThis.process.env["PORT"];
