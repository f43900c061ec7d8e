import { ServiceError } from "../../errors/service-error.ts";
import type { ListedObjects } from "../../objects/list-objects.ts";
import type { ObjectId } from "../../objects/object-id.ts";
import type { JsonValue } from "../../objects/stored-object.ts";
import type { SessionContext } from "../../request/request-context.ts";
import { argumentsOf, type HostArguments } from "./host-arguments.ts";
import type { HostAction } from "./host-action.ts";
import type { HostUseCases } from "./host-use-cases.ts";
import { namedObject } from "./named-object.ts";
import type { RequestForms } from "./request-forms.ts";

const listNames = ["where", "sort", "oids", "macro", "page", "perPage", "cursor", "count", "serialization"] as const;

/** How often a list is read until all that is on it is held. */
const tries = 3;

/** Calls that read objects, and hold them if the module wants to. */
export function readCalls(
  { getObject, listObjects, getReaders }: Pick<HostUseCases, "getObject" | "listObjects" | "getReaders">,
  forms: RequestForms,
): [string, HostAction][] {
  const ofGet = (argument: JsonValue) => argumentsOf("objects.get", argument, "id", "serialization", "hold");
  const ofFind = (argument: JsonValue) => argumentsOf("objects.find", argument, "className", "hold", ...listNames);
  return [
    [
      "objects.get",
      {
        writes: (argument) => ofGet(argument).flag("hold"),
        run: async (context, argument) => {
          const given = ofGet(argument);
          const reference = namedObject(given);
          const serialization = forms.serialization(given.given.serialization);
          if (isHeld(context, given)) {
            // Whoever may not see it may not keep others from it either.
            const { object } = await getObject.run(context, reference, { type: "oid" });
            await context.r.objects.hold([object["~ObjectID"]]);
          }
          const { object, version } = await getObject.run(context, reference, serialization);
          return { object: object as JsonValue, version };
        },
      },
    ],
    [
      "objects.find",
      {
        writes: (argument) => ofFind(argument).flag("hold"),
        run: async (context, argument) => {
          const given = ofFind(argument);
          const { hold: _hold, className: _className, ...form } = given.given;
          const input = { className: given.text("className"), ...forms.list(form) };
          const read = () => listObjects.run(context, input);
          const listed = isHeld(context, given) ? await holdAll(context, read) : await read();
          return { list: forms.listed(listed), versions: listed.versions };
        },
      },
    ],
    [
      "objects.readers",
      {
        writes: () => false,
        run: async (context, argument) => {
          const { readers, version } = await getReaders.run(
            context,
            namedObject(argumentsOf("objects.readers", argument, "id")),
          );
          return { readers, version };
        },
      },
    ],
    ["now", { writes: () => false, run: async ({ database, unit }) => database.clock.now(unit) }],
  ];
}

/** What is held is held until the transaction ends: without one, that would be not at all. */
function isHeld({ unit }: SessionContext, given: HostArguments<"hold">): boolean {
  if (!given.flag("hold")) return false;
  if (!unit.joined) throw given.fault("hold", "Only in a transaction.");
  return true;
}

/** Reads until everything on the list is held: what was changed before it was held is seen as it is since. */
async function holdAll({ r }: SessionContext, read: () => Promise<ListedObjects>): Promise<ListedObjects> {
  const held = new Set<ObjectId>();
  for (let attempt = 1; ; attempt += 1) {
    const listed = await read();
    const missing = listed.list["~Elements"].map((element) => element["~ObjectID"]).filter((id) => !held.has(id));
    if (missing.length === 0) return listed;
    if (attempt > tries) throw new ServiceError(713, { detail: "Others go on changing what is on the list." });
    await r.objects.hold(missing);
    for (const id of missing) held.add(id);
  }
}
