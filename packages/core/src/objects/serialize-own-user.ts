import type { Person } from "../accounts/account-repository.ts";
import { hookedSource } from "../hooks/answer-hooks.ts";
import { noHooks, type ObjectHooks } from "../hooks/active-hooks.ts";
import { requestModel } from "../model/current-model.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import { isVisible, type Visibility, visibilityOf } from "../rights/index.ts";
import type { ObjectId } from "./object-id.ts";
import { defaultDepth, fullPlan } from "./object-plan.ts";
import type { SerializedObject, StoredObject } from "./stored-object.ts";
import { serializeWritten } from "./serialize-written.ts";

/** The classes that describe a person; everybody sees them in the own record, whatever the rights. */
const personal = ["User", "UserGroup", "Employee", "ContactPerson", "Image"];

/** The user object of a log-in answer: the own record, with what it points to. */
export class SerializeOwnUser {
  constructor(private readonly hooks: ObjectHooks = noHooks) {}

  /** The attributes whose targets are worth reading together with the user object; none while the model is not loaded. */
  links({ database, modelGeneration }: AppKeyContext): string[] {
    return (
      database.models
        .loaded(modelGeneration)
        ?.find("User")
        ?.links.map(({ name }) => name) ?? []
    );
  }

  async run(context: AppKeyContext, { account, user, linked }: Person): Promise<SerializedObject> {
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

function groupsOf({ attributes }: StoredObject): ObjectId[] {
  const groups = attributes["Groups"];
  return Array.isArray(groups) ? groups.filter((id) => typeof id === "string") : [];
}
