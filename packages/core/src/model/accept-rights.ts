import {
  type ClassDefinition,
  type ClassRight,
  type ObjectId,
  objectReference,
  type ObjectRepository,
  permissions,
  seesAll,
} from "@sallyport/storage";
import {
  DefinitionFault,
  definitionLimits,
  type AttributeRequest,
  type ClassRequest,
  type RightRequest,
} from "./class-request.ts";
import type { Model } from "./model.ts";

/** The rights of a class, and its attributes with their read rights. */
export interface AcceptedRights {
  readonly rights: readonly ClassRight[];
  readonly attributes: readonly AttributeRequest[];
}

/** Resolves the groups in a definition to their stored form. Groups already in the class may be deleted. */
export async function acceptRights(
  request: ClassRequest,
  stored: ClassDefinition | undefined,
  model: Model,
  objects: Pick<ObjectRepository, "get">,
): Promise<AcceptedRights> {
  const { rights, attributes } = request;
  if (rights.length > definitionLimits.rights)
    throw new DefinitionFault("/rights", `A class can grant rights to at most ${definitionLimits.rights} groups.`);
  for (const [index, { read = [] }] of attributes.entries()) {
    if (read.length > definitionLimits.readers)
      throw new DefinitionFault(
        `/attributes/${index}/read`,
        `An attribute can have at most ${definitionLimits.readers} groups with read access.`,
      );
  }
  const groups = new Groups(stored, model, objects);
  await groups.find([...rights.map(({ group }) => group), ...attributes.flatMap(({ read = [] }) => read)]);
  return {
    rights: acceptClassRights(rights, groups),
    attributes: attributes.map((attribute, index) =>
      attribute.read === undefined
        ? attribute
        : { ...attribute, read: acceptReaders(attribute.read, `/attributes/${index}/read`, groups) },
    ),
  };
}

function acceptClassRights(requests: readonly RightRequest[], groups: Groups): ClassRight[] {
  const accepted = new Map<ObjectId | "*", ClassRight>();
  for (const [index, { group, permissions: requestedPermissions }] of requests.entries()) {
    const pointer = `/rights/${index}/group`;
    const id = group === "*" ? group : groups.idOf(group, pointer);
    if (accepted.has(id)) throw new DefinitionFault(pointer, "The group is listed twice.");
    accepted.set(id, {
      group: id,
      permissions: permissions.filter((permission) => requestedPermissions.includes(permission)),
    });
  }
  return [...accepted.values()];
}

function acceptReaders(groupNames: readonly string[], pointer: string, groups: Groups): ObjectId[] {
  const accepted = groupNames.map((group, index) => groups.idOf(group, `${pointer}/${index}`));
  if (new Set(accepted).size < accepted.length) throw new DefinitionFault(pointer, "A group is listed twice.");
  return accepted;
}

class Groups {
  private readonly ids = new Map<string, ObjectId>();
  private readonly storedIds: ReadonlySet<ObjectId>;

  constructor(
    stored: ClassDefinition | undefined,
    private readonly model: Model,
    private readonly objects: Pick<ObjectRepository, "get">,
  ) {
    const { rights = [], attributes = [] } = stored ?? {};
    this.storedIds = new Set([...rights.map(({ group }) => group), ...attributes.flatMap(({ read = [] }) => read)]);
  }

  async find(names: readonly string[]): Promise<void> {
    const live = new Map((await this.objects.get(names, seesAll)).map((object) => [object.id, object]));
    for (const name of new Set(names)) {
      const reference = objectReference(name);
      const [object = live.get(name)] =
        reference?.kind === "uuid" ? await this.objects.get({ uuids: [reference.uuid] }, seesAll) : [];
      if (object !== undefined && this.model.find("UserGroup")?.subtree.includes(object.className) === true)
        this.ids.set(name, object.id);
    }
  }

  idOf(name: string, pointer: string): ObjectId {
    const id = this.ids.get(name) ?? (this.storedIds.has(name) ? name : undefined);
    if (id === undefined) throw new DefinitionFault(pointer, "There is no group with this id or UUID.");
    return id;
  }
}
