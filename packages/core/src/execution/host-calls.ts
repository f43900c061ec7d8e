import { type JsonValue, type ObjectId, objectReference, ServiceError } from "@sallyport/storage";
import type { HostCall } from "../macros/index.ts";
import {
  type InputAttributes,
  type ListedObjects,
  getObject,
  listObjects,
  getReaders,
  createObject,
  updateObject,
  setReaders,
  deleteObject,
  lockObject,
  unlockObject,
  type ObjectContext,
} from "../objects/index.ts";
import type { SessionContext } from "../request/index.ts";
import { argumentsOf, type HostArguments, namedObject, type RequestForms } from "./host-arguments.ts";
import type { MacroScope } from "./macro-scope.ts";

export class HostCalls {
  private readonly actions: ReadonlyMap<string, HostAction>;

  constructor(forms: RequestForms) {
    this.actions = new Map(Object.entries({ ...readCalls(forms), ...writeCalls(forms) }));
  }

  /** `reads`: 307 for a call that writes or locks. */
  async answer(scope: MacroScope, { name, argument }: HostCall, reads: boolean): Promise<JsonValue | undefined> {
    const action = this.actions.get(name);
    if (action === undefined) throw new ServiceError(307, { detail: "Unknown call." });
    if (action.writes(argument)) {
      if (reads) throw new ServiceError(307, { detail: `${name}: A read-only hook cannot make this call.` });
      await scope.begin();
    }
    const context = scope.current();
    return context.unit.attempt(() => action.run(context, argument));
  }
}

const listNames = ["where", "sort", "oids", "macro", "page", "perPage", "cursor", "count", "serialization"] as const;

/** Maximum number of reads of a list until all of its objects are locked. */
const tries = 3;

/** Calls that read objects, optionally with a lock. */
function readCalls(forms: RequestForms): HostActions {
  const ofGet = (argument: JsonValue) => argumentsOf("objects.get", argument, "id", "serialization", "forUpdate");
  const ofFind = (argument: JsonValue) => argumentsOf("objects.find", argument, "className", "forUpdate", ...listNames);
  return {
    "objects.get": {
      writes: (argument) => ofGet(argument).flag("forUpdate"),
      run: async (context, argument) => {
        const args = ofGet(argument);
        const reference = namedObject(args);
        const serialization = forms.serialization(args.values.serialization);
        if (isLocked(context, args)) {
          // The right to read is required for a lock.
          const { object } = await getObject(context, reference, { type: "oid" });
          await context.r.objects.lock([object["~ObjectID"]]);
        }
        const { object, version } = await getObject(context, reference, serialization);
        return { object: object as JsonValue, version };
      },
    },
    "objects.find": {
      writes: (argument) => ofFind(argument).flag("forUpdate"),
      run: async (context, argument) => {
        const args = ofFind(argument);
        const { forUpdate: _forUpdate, className: _className, ...form } = args.values;
        const input = { className: args.text("className"), ...forms.list(form) };
        const read = () => listObjects(context, input);
        const listed = isLocked(context, args) ? await lockAll(context, read) : await read();
        return { list: forms.listed(listed), versions: listed.versions };
      },
    },
    "objects.readers": {
      writes: () => false,
      run: async (context, argument) => {
        const reference = namedObject(argumentsOf("objects.readers", argument, "id"));
        const { readers, version } = await getReaders(context, reference);
        return { readers, version };
      },
    },
    now: { writes: () => false, run: async ({ database, unit }) => database.clock.now(unit) },
  };
}

/** Row locks last until the transaction ends. Outside a transaction they would have no effect. */
function isLocked({ unit }: SessionContext, args: HostArguments<"forUpdate">): boolean {
  if (!args.flag("forUpdate")) return false;
  if (!unit.joined) throw args.fault("forUpdate", "A lock requires a transaction.");
  return true;
}

/** Reads again after each lock, until all listed objects are locked and current. */
async function lockAll({ r }: SessionContext, read: () => Promise<ListedObjects>): Promise<ListedObjects> {
  const lockedIds = new Set<ObjectId>();
  for (let attempt = 1; ; attempt += 1) {
    const listed = await read();
    const missing = listed.list["~Elements"].map((element) => element["~ObjectID"]).filter((id) => !lockedIds.has(id));
    if (missing.length === 0) return listed;
    if (attempt > tries) throw new ServiceError(713, { detail: "Concurrent writes keep changing the list." });
    await r.objects.lock(missing);
    for (const id of missing) lockedIds.add(id);
  }
}

function writeCalls(forms: RequestForms): HostActions {
  const action = (run: HostAction["run"]): HostAction => ({ writes: () => true, run });
  return {
    "objects.create": action(async (context, argument) => {
      const args = argumentsOf("objects.create", argument, "className", "attributes", "serialization");
      const reference = objectReference(args.text("className"));
      if (reference?.kind !== "class") throw new ServiceError(304);
      const written = await createObject(
        context,
        reference.className,
        attributesOf(args, forms),
        forms.serialization(args.values.serialization),
      );
      return { object: written.object as JsonValue, version: written.version };
    }),
    "objects.update": action(async (context, argument) => {
      const args = argumentsOf("objects.update", argument, "id", "attributes", "version", "serialization");
      const serialization = forms.serialization(args.values.serialization);
      const input = { attributes: attributesOf(args, forms), expectedVersions: versionsOf(args), serialization };
      const written = await updateObject(context, namedObject(args), input);
      return { object: written.object as JsonValue, version: written.version };
    }),
    "objects.setReaders": action(async (context, argument) => {
      const args = argumentsOf("objects.setReaders", argument, "id", "readers", "version");
      return {
        ...(await setReaders(context, namedObject(args), {
          readers: readersOf(args),
          expectedVersions: versionsOf(args),
        })),
      };
    }),
    "objects.delete": action(async (context, argument) => {
      const args = argumentsOf("objects.delete", argument, "id", "moveToRecycler", "version");
      await deleteObject(context, namedObject(args), {
        recycled: args.flag("moveToRecycler"),
        expectedVersions: versionsOf(args),
      });
      return undefined;
    }),
    "objects.lock": action(async (context, argument) => ({
      ...(await lockObject(context, namedObject(argumentsOf("objects.lock", argument, "id")))),
    })),
    "objects.unlock": action(async (context, argument) => ({
      ...(await unlockObject(context, namedObject(argumentsOf("objects.unlock", argument, "id")))),
    })),
  };
}

function attributesOf(
  { values: { attributes }, fault }: HostArguments<"attributes">,
  forms: RequestForms,
): InputAttributes {
  if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes))
    throw fault("attributes", "An object is expected.");
  forms.checkJson(attributes);
  return attributes as InputAttributes;
}

function readersOf({ values: { readers }, fault }: HostArguments<"readers">): readonly string[] | null {
  if (readers === null) return null;
  if (!Array.isArray(readers) || !readers.every((each) => typeof each === "string"))
    throw fault("readers", "An array of ids or null is expected.");
  return readers;
}

function versionsOf({ values: { version }, fault }: HostArguments<"version">): readonly number[] | null {
  if (version === undefined || version === null) return null;
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1)
    throw fault("version", "A positive integer is expected.");
  return [version];
}

/** A host call. Validates its argument before any effect. */
interface HostAction {
  /** Whether the call needs the transaction of the execution. If so, it opens it. */
  writes(argument: JsonValue): boolean;
  run(context: ObjectContext, argument: JsonValue): Promise<JsonValue | undefined>;
}

type HostActions = Readonly<Record<string, HostAction>>;
