import { visibilityOf } from "../../model/index.ts";
import { type AppKeyContext, requestModel, type Uses } from "../../request/index.ts";
import {
  type AuthenticatedAccount,
  isVisible,
  type ObjectId,
  type SerializedObject,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import { hookedSource } from "../hooks/answer-hooks.ts";
import { defaultDepth, fullPlan } from "./object-plan.ts";
import { serializeWritten } from "./object-serializer.ts";
import type { ObjectServices } from "../hooks/active-hooks.ts";

/** Classes of personal data. Every user sees them in the own user object, regardless of rights. */
const personal = ["User", "UserGroup", "Employee", "ContactPerson", "Image"];

/** Link attributes to read with the user object; none if the model is not loaded. */
export function ownUserLinks({ database, modelGeneration }: AppKeyContext): string[] {
  return (
    database.models
      .loaded(modelGeneration)
      ?.find("User")
      ?.links.map(({ name }) => name) ?? []
  );
}

export async function serializeOwnUser(
  context: AppKeyContext & Uses<ObjectServices>,
  { account, user, linked }: AuthenticatedAccount,
): Promise<SerializedObject> {
  const principal = { userId: account.userId, groups: groupsOf(user), administrator: account.administrator };
  const model = (await requestModel(context)).as(principal);
  const visibility = withPersonal(visibilityOf(principal, model));
  const knownObjects = linked.filter((object) => isVisible(object, visibility));
  return serializeWritten(
    hookedSource({ ...context, principal }, { model, visibility }),
    fullPlan(model, defaultDepth),
    user,
    knownObjects,
  );
}

function withPersonal({ classes, principals }: Visibility): Visibility {
  return { classes: classes === null ? null : new Set([...classes, ...personal]), principals };
}

/** The ids in the attribute `Groups` of a user object. */
export function groupsOf({ attributes }: StoredObject): ObjectId[] {
  const groups = attributes["Groups"];
  return Array.isArray(groups) ? groups.filter((id) => typeof id === "string") : [];
}
