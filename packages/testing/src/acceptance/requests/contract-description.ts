interface Operation {
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

/** The part of an OpenAPI document that declares the codes of the routes. */
export interface RouteDocument {
  readonly paths: Readonly<Record<string, unknown>>;
}

const parametersOf = (template: string): number => template.split("{").length;

/** The routes and codes that API descriptions declare. */
export class ContractDescription {
  private readonly operations: readonly {
    readonly pattern: RegExp;
    readonly methods: Readonly<Record<string, Operation>>;
  }[];

  /** @param aliases databases under a prefix of the path */
  constructor(documents: readonly RouteDocument[], aliases: readonly string[]) {
    const prefix = aliases.length === 0 ? "" : `(?:/(?:${aliases.join("|")}))?`;
    // Those with fewer parameters first: they take precedence.
    this.operations = documents
      .flatMap(({ paths }) => Object.entries(paths))
      .toSorted(([one], [other]) => parametersOf(one) - parametersOf(other))
      .map(([template, methods]) => ({
        pattern: new RegExp(`^${prefix}${template.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
        methods: methods as Readonly<Record<string, Operation>>,
      }));
  }

  /** Whether the code is declared for the request. Of requests without a route, only 304 and 305 are expected. */
  declares(method: string, path: string, status: number, code: number): boolean {
    const bare = path.split("?", 1)[0]?.replaceAll(/\/{2,}/g, "/") ?? "";
    const operation = this.operations.find(({ pattern }) => pattern.test(bare))?.methods[method.toLowerCase()];
    if (code === 0) return true;
    if (operation === undefined) return code === 304 || code === 305;
    return operation.responses[status]?.description.includes(`\`${code}\``) ?? false;
  }
}
