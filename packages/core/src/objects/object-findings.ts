import {
  explained,
  type Finding,
  type Permission,
  seesAll,
  ServiceError,
  type SingleReference,
  type Visibility,
} from "@sallyport/storage";
import type { ModelClass, Model } from "../model/index.ts";
import type { Database } from "../request/index.ts";

/** The error for a class without this right of the caller. */
export function withoutRight(permission: Permission, { definition: { name } }: ModelClass): ServiceError {
  return explained(new ServiceError(404), {
    asked: `May the user ${permission} objects of the class ${name}?`,
    found: "No: no group of the user has this right.",
  });
}

/** The error for a class that does not exist or is not readable. */
export function missingClass(model: Model, className: string): ServiceError {
  return explained(
    new ServiceError(304),
    model.find(className) === undefined ? { asked: "Does the class exist?", found: "No." } : unreadableClass(className),
  );
}

function unreadableClass(name: string): Finding {
  return {
    asked: `May the user read objects of the class ${name}?`,
    found: "No: no group of the user has this right.",
  };
}

/** The error for an object that is deleted, or does not exist for the caller. */
export function missingObject(
  code: 304 | 609 | 610,
  reference: SingleReference,
  { classes }: Visibility,
): ServiceError {
  return explained(new ServiceError(code), async ({ storage }: Database): Promise<Finding[]> => {
    const { objects, deletion } = storage.repositories;
    const asked = "Does the object exist?";
    const [object] = await objects.get(reference.kind === "id" ? [reference.id] : { uuids: [reference.uuid] }, seesAll);
    if (object === undefined) {
      const tombstone = await deletion.find(reference, seesAll);
      if (tombstone === null) return [{ asked, found: "No, it never did." }];
      const { className, deletedBy } = tombstone;
      const by = deletedBy === null ? "" : ` by the user ${deletedBy}`;
      return [{ asked, found: `No: it was deleted${by} (${className}).` }];
    }
    const { className } = object;
    if (classes !== null && !classes.has(className)) return [{ asked, found: "Yes." }, unreadableClass(className)];
    return [
      { asked, found: `Yes, of the class ${className}.` },
      { asked: "Is the user among its readers?", found: "No, and neither is a group of the user." },
    ];
  });
}
