import { ServiceError } from "../errors/service-error.ts";
import type { Model } from "../model/model.ts";
import { targetFamily } from "../model/target-family.ts";
import type { StoredObject } from "../objects/stored-object.ts";
import { isVisible } from "../rights/visibility.ts";
import type { DepartureRepository } from "./departure-repository.ts";
import { isKnown, type Knowledge, type Referrer } from "./referrer.ts";
import type { Restoration } from "./restoration.ts";
import { linkedIds, type Misfit, restorationOf } from "./restoration-of.ts";

export interface Return extends Knowledge {
  readonly departures: Pick<DepartureRepository, "targets" | "referrers">;
  readonly model: Model;
}

/**
 * How objects that went together come back together. 307 when one of them does not fit its class as that is now, or is pointed to by an
 * attribute that is no longer made for its class: nothing is left out or converted on the way.
 */
export async function acceptReturn(
  group: readonly StoredObject[],
  { departures, model, ...knowledge }: Return,
): Promise<Restoration[]> {
  const targets = new Map((await departures.targets(linkedIds(group, model))).map((target) => [target.id, target]));
  const restorations = group.map((object) => {
    const modelClass = model.find(object.className);
    const restoration = modelClass === undefined ? null : restorationOf(object, { model, modelClass, targets });
    if (restoration !== null && !("reason" in restoration)) return restoration;
    throw refused(misfitting(object, restoration, knowledge));
  });
  for (const className of new Set(group.map((object) => object.className))) {
    const attributes = linksElsewhere(model, className);
    const ids = group.filter((object) => object.className === className).map(({ id }) => id);
    const [link] = attributes.length === 0 ? [] : await departures.referrers(ids, { attributes, limit: 1 });
    if (link !== undefined) throw refused(pointedTo(link, knowledge));
  }
  return restorations;
}

/** The links that are not made for objects of a class. */
function linksElsewhere(model: Model, className: string): Pick<Referrer, "className" | "attribute">[] {
  return [...model.all()].flatMap(({ definition, links }) =>
    links
      .filter((link) => targetFamily(link, model)?.includes(className) === false)
      .map(({ name }) => ({ className: definition.name, attribute: name })),
  );
}

/** Says what does not fit, as far as the caller may know; `null` stands for the class itself. */
function misfitting(object: StoredObject, misfit: Misfit | null, knowledge: Knowledge): string {
  const { className } = object;
  if (!isVisible(object, knowledge.visibility)) return "An object that would return with it does not fit its class.";
  if (misfit === null) return `An object of the class ${className} does not fit: the class is gone.`;
  const { attribute, reason } = misfit;
  return isKnown({ className, attribute }, knowledge)
    ? `An object of the class ${className} does not fit: ${reason}.`
    : `An object of the class ${className} does not fit its class as that is now.`;
}

function pointedTo({ className, attribute }: Referrer, { visibility }: Knowledge): string {
  const by = visibility.principals === null ? `${className}.${attribute}` : "an attribute";
  return `Something points to it by ${by}, which is no longer made for its class.`;
}

function refused(detail: string): ServiceError {
  return new ServiceError(307, { detail });
}
