import { ServiceError } from "../errors/service-error.ts";
import type { Model } from "../model/model.ts";
import { targetFamily } from "../model/target-family.ts";
import type { StoredObject } from "../objects/stored-object.ts";
import { isVisible, type Visibility } from "../rights/visibility.ts";
import type { DepartureRepository } from "./departure-repository.ts";
import type { Referrer } from "./referrer.ts";
import type { Restoration } from "./restoration.ts";
import { linkedIds, restorationOf } from "./restoration-of.ts";

export interface Return {
  readonly departures: Pick<DepartureRepository, "targets" | "referrers">;
  readonly model: Model;
  /** Of what the caller does not see, no name is told. */
  readonly visibility: Visibility;
}

/**
 * How objects that went together come back together. 307 when one of them does not fit its class as that is now, or is pointed to by an
 * attribute that is no longer made for its class: nothing is left out or converted on the way.
 */
export async function acceptReturn(group: readonly StoredObject[], { departures, model, visibility }: Return): Promise<Restoration[]> {
  const targets = new Map((await departures.targets(linkedIds(group, model))).map((target) => [target.id, target]));
  const restorations = group.map((object) => {
    const modelClass = model.find(object.className);
    const restoration = modelClass === undefined ? "the class is gone" : restorationOf(object, { model, modelClass, targets });
    if (typeof restoration !== "string") return restoration;
    throw refused(isVisible(object, visibility) ? `An object of the class ${object.className} does not fit: ${restoration}.` : "An object that would return with it does not fit its class.");
  });
  for (const className of new Set(group.map((object) => object.className))) {
    const attributes = linksElsewhere(model, className);
    const ids = group.filter((object) => object.className === className).map(({ id }) => id);
    const [link] = attributes.length === 0 ? [] : await departures.referrers(ids, { attributes, limit: 1 });
    if (link !== undefined) throw refused(pointedTo(link, visibility));
  }
  return restorations;
}

/** The links that are not made for objects of a class. */
function linksElsewhere(model: Model, className: string): Pick<Referrer, "className" | "attribute">[] {
  return [...model.all()].flatMap(({ definition, links }) =>
    links.filter((link) => targetFamily(link, model)?.includes(className) === false).map(({ name }) => ({ className: definition.name, attribute: name })),
  );
}

function pointedTo({ className, attribute }: Referrer, { principals }: Visibility): string {
  const by = principals === null ? `${className}.${attribute}` : "an attribute";
  return `Something points to it by ${by}, which is no longer made for its class.`;
}

function refused(detail: string): ServiceError {
  return new ServiceError(307, { detail });
}
