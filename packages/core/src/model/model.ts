import {
  type AttributeDefinition,
  type AttributeIndex,
  type AttributeType,
  type ClassDefinition,
  type ModelRepository,
  type Permission,
  type Principal,
  seesAll,
  type StoredModel,
  type Visibility,
} from "../storage/index.ts";

const linkTypes: ReadonlySet<AttributeType> = new Set(["reference", "collection", "file"]);

export interface ModelClass {
  readonly definition: ClassDefinition;
  /** Own and inherited attributes by name, the base's first. */
  readonly attributes: ReadonlyMap<string, AttributeDefinition>;
  /** The attributes whose values are ids of other objects. */
  readonly links: readonly AttributeDefinition[];
  /** Names of the class itself and of all classes below it. */
  readonly subtree: readonly string[];
}

const mostCached = 100;

/** The classes of a database, linked; immutable. */
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
    const families = new Map<string, string[]>(classes.map(({ name }) => [name, []]));
    const lines = new Map(classes.map(({ name }) => [name, this.inheritanceChain(name)]));
    for (const [name, line] of lines) for (const each of line) families.get(each.name)?.push(name);
    this.classes = new Map(
      classes.map((definition) => {
        const line = lines.get(definition.name) ?? [];
        const attributes = new Map(
          line.flatMap((each) => each.attributes.map((attribute) => [attribute.name, attribute])),
        );
        const links = [...attributes.values()].filter(({ type }) => linkTypes.has(type));
        return [definition.name, { definition, attributes, links, subtree: families.get(definition.name) ?? [] }];
      }),
    );
  }

  /** The model without attributes that the caller may not read. The whole one is for keeping references consistent. */
  as({ administrator, groups }: Pick<Principal, "administrator" | "groups">): Model {
    if (administrator || !this.hasAttributeRights) return this;
    const key = groups.join(" ");
    let known = this.filtered.get(key);
    if (known === undefined) {
      const isKnown = ({ read }: AttributeDefinition) =>
        read === undefined || read.some((group) => groups.includes(group));
      const classes = Array.from(this.definitions.values(), (each) => ({
        ...each,
        attributes: each.attributes.filter(isKnown),
      }));
      known = new Model({ generation: this.generation, classes });
      if (this.filtered.size >= mostCached) this.filtered.clear();
      this.filtered.set(key, known);
    }
    return known;
  }

  find(name: string): ModelClass | undefined {
    return this.classes.get(name);
  }

  all(): Iterable<ModelClass> {
    return this.classes.values();
  }

  /** The class and its bases, outermost base first. A base that is missing or repeats ends the line. */
  inheritanceChain(name: string): ClassDefinition[] {
    const line: ClassDefinition[] = [];
    let next = this.definitions.get(name);
    while (next !== undefined && !line.includes(next)) {
      line.unshift(next);
      next = next.base === null ? undefined : this.definitions.get(next.base);
    }
    return line;
  }
}

/** The names of the classes that a link can lead to; `null` for all. */
export function targetSubtree({ type, target }: AttributeDefinition, model: Model): readonly string[] | null {
  const name = target ?? (type === "file" ? "File" : null);
  return name === null ? null : (model.find(name)?.subtree ?? []);
}

/** The indexes that a model asks for: of each class its indexed attributes, inherited ones too. */
export function wantedIndexes(model: Model): AttributeIndex[] {
  return [...model.all()].flatMap(({ definition, attributes }) =>
    [...attributes.values()]
      .filter(({ indexed }) => indexed === true)
      .map(({ name, type }) => ({ className: definition.name, attribute: name, type })),
  );
}

/** Keeps the linked model of one database until admission reports another generation. */
export class ModelCache {
  private model: Model | undefined;
  private loading: Promise<Model> | undefined;

  /** The model of the generation, if it was loaded already. */
  loaded(generation: number): Model | undefined {
    return this.model?.generation === generation ? this.model : undefined;
  }

  /** The model of the generation, or a newer one. Parallel requests share one load. */
  async current(generation: number, models: Pick<ModelRepository, "load">): Promise<Model> {
    if (this.model?.generation === generation) return this.model;
    this.loading ??= this.load(models);
    const loaded = await this.loading;
    // A load that began before the change may bring the older model.
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

/** Whether the principal has the permission on the objects of a class, as far as the class decides it. */
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

/** The names of the classes that members of these groups may read; worked out once per model. */
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

/** The class and the classes below it, as far as objects of them can be visible. None if there is no such class. */
export function readableSubtree(model: Model, className: string, { classes }: Visibility): ModelClass[] {
  const subtree = model.find(className)?.subtree ?? [];
  return subtree.flatMap((name) => (classes === null || classes.has(name) ? (model.find(name) ?? []) : []));
}

/** The classes that a link can lead to, as far as objects of them can be visible. */
export function readableTargets(attribute: AttributeDefinition, model: Model, visibility: Visibility): ModelClass[] {
  const names = targetSubtree(attribute, model) ?? Array.from(model.all(), ({ definition }) => definition.name);
  return [...new Set(names.flatMap((each) => readableSubtree(model, each, visibility)))];
}
