import { ServiceError } from "../errors/service-error.ts";
import { requestModel } from "../model/request-model.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { SingleReference } from "../objects/object-reference.ts";
import { visibleObject } from "../objects/visible-object.ts";
import type { SessionContext } from "../request/request-context.ts";
import { mayOnClass, visibilityOf } from "../rights/index.ts";

/** The object that is meant, for those who may write it. One that never existed or that the caller may not see: 304; one that is gone: 610; without the right to write: 404. */
export async function lockableObject(context: SessionContext, reference: SingleReference): Promise<ObjectId> {
  const { r, principal } = context;
  const model = await requestModel(context);
  const { id, className } = await visibleObject(r, reference, visibilityOf(principal, model), 610);
  const modelClass = model.find(className);
  if (modelClass === undefined || !mayOnClass(principal, modelClass, "write")) throw new ServiceError(404);
  return id;
}
