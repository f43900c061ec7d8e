import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const OURS = fileURLToPath(new URL("..", import.meta.url));
const SCHEMA = dirname(fileURLToPath(import.meta.resolve("@cfworker/json-schema")));

/** What a module of a stranger imports, and the only thing it can. */
export const AUTHORING = "@sallyport/macros";

/** The file that this import gives; names of modules are paths, which no macro can be called. */
export const AUTHORING_FILE = "/authoring/index.js";
export const MAIN_FILE = "/prelude/main.js";

/** What modules need besides that hold inputs to a schema. */
export const VALIDATOR_FILE = "/prelude/validator.js";

/** The sandbox knows no `URL`; the validator needs it for references such as `#/$defs/Address`. */
const URL_SHIM = `import { SchemaUrl as URL } from "/prelude/schema-url.js";\n`;

/** The name of the module that `imported` means in `base`. */
export function preludeModuleName(base: string, imported: string): string {
  if (imported === "@cfworker/json-schema") return "/schema/index.js";
  return imported.startsWith(".") ? join(dirname(base), imported) : imported;
}

/** The text of a module of the prelude. */
export function preludeModule(name: string): string {
  if (!name.startsWith("/schema/")) return readFileSync(join(OURS, name), "utf8");
  const text = readFileSync(join(SCHEMA, name.slice("/schema/".length)), "utf8");
  return name === "/schema/dereference.js" ? URL_SHIM + text : text;
}
