import { readFileSync } from "node:fs";

interface Operation {
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

const descriptions = ["openapi.json", "administration-openapi.json"].map((name) =>
  JSON.parse(readFileSync(new URL(`../../../../docs/reference/${name}`, import.meta.url), "utf8")),
);
const paths = Object.assign({}, ...descriptions.map((each) => each.paths)) as Record<string, Record<string, Operation>>;

const operations = Object.entries(paths).map(([template, methods]) => ({
  pattern: new RegExp(`^(?:/second|/unconfigured)?${template.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
  template,
  methods,
}));

/** The route of a request in the API description; `undefined` if the description has none. */
export function routeOf(method: string, path: string): string | undefined {
  const operation = operationAt(path);
  return operation?.methods[method.toLowerCase()] === undefined ? undefined : `${method} ${operation.template}`;
}

function operationAt(path: string) {
  const bare = path.split("?", 1)[0]?.replaceAll(/\/{2,}/g, "/") ?? "";
  return operations.find(({ pattern }) => pattern.test(bare));
}

/**
 * Whether the API description declares this code for the request. Without a description, only 304 and 305 are expected.
 */
export function isDeclared(method: string, path: string, status: number, code: number): boolean {
  const operation = operationAt(path)?.methods[method.toLowerCase()];
  if (code === 0) return true;
  if (operation === undefined) return code === 304 || code === 305;
  return operation.responses[status]?.description.includes(`\`${code}\``) ?? false;
}
