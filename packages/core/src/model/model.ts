import {
  type AttributeDefinition,
  type AttributeIndex,
  type ClassDefinition,
  fileClass,
  isLink,
  type ModelRepository,
  type Permission,
  type Principal,
  seesAll,
  type StoredModel,
  type Visibility,
} from "@sallyport/storage";

export interface ModelClass {
  readonly definition: ClassDefinition;
  /** Own and inherited attributes by name, base attributes first. */
  readonly attributes: ReadonlyMap<string, AttributeDefinition>;
  /** Attributes that contain ids of other objects. */
  readonly links: readonly AttributeDefinition[];
  /** Names of the class and all subclasses. */
  readonly subtree: readonly string[];
}

const maxCached = 100;

/** The linked classes of a database; immutable. */
export class Model {
  readonly generation: number;
  private readonly hasAttributeRights: boolean;
  private readonly filtered = new Map<string, Model>();
  private readonly definitions: ReadonlyMap<string, ClassDefinition>;
  private readonly classes: ReadonlyMap<string, ModelClass>;

  constructor({ generation, classes }: StoredModel) {
    this.generation = generation;
    this.hasAttributeRights = classes.some(({ attributes }) => attributes.some(({ read }) => read !== undefined));
    this.definitions = new Map(classes.map((definition) => [definition.name, definition]));
    const subtrees = new Map<string, string[]>(classes.map(({ name }) => [name, []]));
    const chains = new Map(classes.map(({ name }) => [name, this.inheritanceChain(name)]));
    for (const [name, chain] of chains) for (const each of chain) subtrees.get(each.name)?.push(name);
    this.classes = new Map(
      classes.map((definition) => {
        const chain = chains.get(definition.name) ?? [];
        const attributes = new Map(
          chain.flatMap((each) => each.attributes.map((attribute) => [attribute.name, attribute])),
        );
        const links = [...attributes.values()].filter(({ type }) => isLink(type));
        return [definition.name, { definition, attributes, links, subtree: subtrees.get(definition.name) ?? [] }];
      }),
    );
  }

  /** The model without attributes that the caller may not read. Reference checks need the unfiltered model. */
  as({ administrator, groups }: Pick<Principal, "administrator" | "groups">): Model {
    if (administrator || !this.hasAttributeRights) return this;
    const key = groups.join(" ");
    let cached = this.filtered.get(key);
    if (cached === undefined) {
      const isKnown = ({ read }: AttributeDefinition) =>
        read === undefined || read.some((group) => groups.includes(group));
      const classes = Array.from(this.definitions.values(), (each) => ({
        ...each,
        attributes: each.attributes.filter(isKnown),
      }));
      cached = new Model({ generation: this.generation, classes });
      if (this.filtered.size >= maxCached) this.filtered.clear();
      this.filtered.set(key, cached);
    }
    return cached;
  }

  find(name: string): ModelClass | undefined {
    return this.classes.get(name);
  }

  all(): Iterable<ModelClass> {
    return this.classes.values();
  }

  /** The class and its bases, outermost base first. A missing or repeated base ends the chain. */
  inheritanceChain(name: string): ClassDefinition[] {
    const chain: ClassDefinition[] = [];
    let next = this.definitions.get(name);
    while (next !== undefined && !chain.includes(next)) {
      chain.unshift(next);
      next = next.base === null ? undefined : this.definitions.get(next.base);
    }
    return chain;
  }
}

/** The class of the targets of a link; `null` if they can be of any class. */
export function targetClass({ type, target }: AttributeDefinition): string | null {
  return target ?? (type === "file" ? fileClass : null);
}

/** Names of the classes allowed as target; `null` for all. */
export function targetSubtree(attribute: AttributeDefinition, model: Model): readonly string[] | null {
  const name = targetClass(attribute);
  return name === null ? null : (model.find(name)?.subtree ?? []);
}

/** The indexes of a model: for each class its own and inherited indexed attributes. */
export function declaredIndexes(model: Model): AttributeIndex[] {
  return [...model.all()].flatMap(({ definition, attributes }) =>
    [...attributes.values()]
      .filter(({ indexed }) => indexed === true)
      .map(({ name, type }) => ({ className: definition.name, attribute: name, type })),
  );
}

/** Caches the linked model of one database until admission reports another generation. */
export class ModelCache {
  private model: Model | undefined;
  private loading: Promise<Model> | undefined;

  /** The model of the generation if cached. */
  loaded(generation: number): Model | undefined {
    return this.model?.generation === generation ? this.model : undefined;
  }

  /** The model of this or a newer generation. Concurrent requests share one load. */
  async current(generation: number, models: Pick<ModelRepository, "load">): Promise<Model> {
    if (this.model?.generation === generation) return this.model;
    this.loading ??= this.load(models);
    const loaded = await this.loading;
    // A load begun before the change may return the older model.
    return loaded.generation >= generation ? loaded : this.load(models);
  }

  private async load(models: Pick<ModelRepository, "load">): Promise<Model> {
    try {
      const model = new Model(await models.load());
      if (this.model === undefined || model.generation > this.model.generation) this.model = model;
      return model;
    } finally {
      this.loading = undefined;
    }
  }
}

/** Whether class rights grant the permission to the principal. */
export function mayOnClass(principal: Principal, modelClass: ModelClass, permission: Permission): boolean {
  if (principal.administrator) return true;
  return modelClass.definition.rights.some(
    (right) =>
      (right.group === "*" || principal.groups.includes(right.group)) && right.permissions.includes(permission),
  );
}

export function visibilityOf(principal: Principal, model: Model): Visibility {
  if (principal.administrator) return seesAll;
  return { classes: readableClasses(principal, model), principals: new Set([principal.userId, ...principal.groups]) };
}

const cacheSize = 1_000;
const readableByGroups = new WeakMap<Model, Map<string, ReadonlySet<string>>>();

/** Names of the classes that these groups may read. Cached per model. */
function readableClasses(principal: Principal, model: Model): ReadonlySet<string> {
  const byGroups = readableByGroups.get(model) ?? new Map<string, ReadonlySet<string>>();
  readableByGroups.set(model, byGroups);
  const key = principal.groups.join(" ");
  let classes = byGroups.get(key);
  if (classes === undefined) {
    const readable = [...model.all()].filter((modelClass) => mayOnClass(principal, modelClass, "read"));
    classes = new Set(readable.map(({ definition }) => definition.name));
    if (byGroups.size >= cacheSize) byGroups.clear();
    byGroups.set(key, classes);
  }
  return classes;
}

/** The visible classes among the class and its subclasses; empty for an unknown class. */
export function readableSubtree(model: Model, className: string, { classes }: Visibility): ModelClass[] {
  const subtree = model.find(className)?.subtree ?? [];
  return subtree.flatMap((name) => (classes === null || classes.has(name) ? (model.find(name) ?? []) : []));
}

/** The visible classes allowed as target of a link. */
export function readableTargets(attribute: AttributeDefinition, model: Model, visibility: Visibility): ModelClass[] {
  const names = targetSubtree(attribute, model) ?? Array.from(model.all(), ({ definition }) => definition.name);
  return [...new Set(names.flatMap((each) => readableSubtree(model, each, visibility)))];
}
