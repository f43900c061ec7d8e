import { visibilityOf } from "../model/index.ts";
import { type AppKeyContext, requestModel } from "../request/index.ts";
import {
  type AuthenticatedAccount,
  isVisible,
  type ObjectId,
  type SerializedObject,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import { noHooks, type ObjectHooks } from "./hooks/active-hooks.ts";
import { hookedSource } from "./hooks/answer-hooks.ts";
import { defaultDepth, fullPlan } from "./object-plan.ts";
import { serializeWritten } from "./object-serializer.ts";

/** Classes of personal data. Every user sees them in the own user object, regardless of rights. */
const personal = ["User", "UserGroup", "Employee", "ContactPerson", "Image"];

/** Serializes the own user object for a log-in answer, with its targets. */
export class SerializeOwnUser {
  constructor(private readonly hooks: ObjectHooks = noHooks) {}

  /** Link attributes to read with the user object; none if the model is not loaded. */
  links({ database, modelGeneration }: AppKeyContext): string[] {
    return (
      database.models
        .loaded(modelGeneration)
        ?.find("User")
        ?.links.map(({ name }) => name) ?? []
    );
  }

  async serializeOwnUser(
    context: AppKeyContext,
    { account, user, linked }: AuthenticatedAccount,
  ): Promise<SerializedObject> {
    const principal = { userId: account.userId, groups: groupsOf(user), administrator: account.administrator };
    const model = (await requestModel(context)).as(principal);
    const visibility = withPersonal(visibilityOf(principal, model));
    const known = linked.filter((object) => isVisible(object, visibility));
    return serializeWritten(
      hookedSource(this.hooks, { ...context, principal }, { model, visibility }),
      fullPlan(model, defaultDepth),
      user,
      known,
    );
  }
}

function withPersonal({ classes, principals }: Visibility): Visibility {
  return { classes: classes === null ? null : new Set([...classes, ...personal]), principals };
}

/** The ids in the attribute `Groups` of a user object. */
export function groupsOf({ attributes }: StoredObject): ObjectId[] {
  const groups = attributes["Groups"];
  return Array.isArray(groups) ? groups.filter((id) => typeof id === "string") : [];
}
