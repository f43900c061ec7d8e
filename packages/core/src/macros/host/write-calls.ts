import { ServiceError } from "../../errors/service-error.ts";
import { objectReference } from "../../objects/object-id.ts";
import type { JsonValue } from "../../objects/stored-object.ts";
import type { GivenAttributes } from "../../objects/accept-attributes.ts";
import { argumentsOf, type HostArguments } from "./host-arguments.ts";
import type { HostAction } from "./host-action.ts";
import type { HostUseCases } from "./host-use-cases.ts";
import { namedObject } from "./named-object.ts";
import type { RequestForms } from "./request-forms.ts";

type WriteUseCases = Pick<
  HostUseCases,
  "createObject" | "updateObject" | "setReaders" | "deleteObject" | "lockObject" | "unlockObject"
>;

/** Calls that write objects or lock them. */
export function writeCalls(useCases: WriteUseCases, forms: RequestForms): [string, HostAction][] {
  const { createObject, updateObject, setReaders, deleteObject, lockObject, unlockObject } = useCases;
  const action = (run: HostAction["run"]): HostAction => ({ writes: () => true, run });
  return [
    [
      "objects.create",
      action(async (context, argument) => {
        const given = argumentsOf("objects.create", argument, "className", "attributes", "serialization");
        const reference = objectReference(given.text("className"));
        if (reference?.kind !== "class") throw new ServiceError(304);
        const written = await createObject.run(
          context,
          reference.className,
          attributesOf(given, forms),
          forms.serialization(given.given.serialization),
        );
        return { object: written.object as JsonValue, version: written.version };
      }),
    ],
    [
      "objects.update",
      action(async (context, argument) => {
        const given = argumentsOf("objects.update", argument, "id", "attributes", "version", "serialization");
        const serialization = forms.serialization(given.given.serialization);
        const input = { given: attributesOf(given, forms), expectedVersions: versionsOf(given), serialization };
        const written = await updateObject.run(context, namedObject(given), input);
        return { object: written.object as JsonValue, version: written.version };
      }),
    ],
    [
      "objects.setReaders",
      action(async (context, argument) => {
        const given = argumentsOf("objects.setReaders", argument, "id", "readers", "version");
        return {
          ...(await setReaders.run(context, namedObject(given), {
            readers: readersOf(given),
            expectedVersions: versionsOf(given),
          })),
        };
      }),
    ],
    [
      "objects.delete",
      action(async (context, argument) => {
        const given = argumentsOf("objects.delete", argument, "id", "moveToRecycler", "version");
        await deleteObject.run(context, namedObject(given), {
          recycled: given.flag("moveToRecycler"),
          expectedVersions: versionsOf(given),
        });
        return undefined;
      }),
    ],
    [
      "objects.lock",
      action(async (context, argument) => ({
        ...(await lockObject.run(context, namedObject(argumentsOf("objects.lock", argument, "id")))),
      })),
    ],
    [
      "objects.unlock",
      action(async (context, argument) => ({
        ...(await unlockObject.run(context, namedObject(argumentsOf("objects.unlock", argument, "id")))),
      })),
    ],
  ];
}

function attributesOf(
  { given: { attributes }, fault }: HostArguments<"attributes">,
  forms: RequestForms,
): GivenAttributes {
  if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes))
    throw fault("attributes", "An object with attributes.");
  forms.checkJson(attributes);
  return attributes as GivenAttributes;
}

function readersOf({ given: { readers }, fault }: HostArguments<"readers">): readonly string[] | null {
  if (readers === null) return null;
  if (!Array.isArray(readers) || !readers.every((each) => typeof each === "string"))
    throw fault("readers", "A list of ids, or null.");
  return readers;
}

function versionsOf({ given: { version }, fault }: HostArguments<"version">): readonly number[] | null {
  if (version === undefined || version === null) return null;
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1)
    throw fault("version", "The number of a version.");
  return [version];
}
