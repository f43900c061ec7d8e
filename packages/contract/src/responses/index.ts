export { apiDescription } from "./api-description.ts";
export { countResponse, purgeResponse } from "./count-response.ts";
export { encryptedMessage } from "./encrypted-message.ts";
export { keySetResponse } from "./key-set-response.ts";
export { lockResponse } from "./lock-response.ts";
export {
  doubleLogInResponse,
  secureLogInResponse,
  serverKeyResponse,
  sessionLogInResponse,
  tokenLogInResponse,
} from "./log-in-response.ts";
export { multiResponse, multiResult } from "./multi-response.ts";
export { bareObjectSchema, objectListSchema, objectSchema, ownUserSchema, recyclerSchema } from "./object-schemas.ts";
export { changePasswordResponse } from "./password-responses.ts";
export { linksResponse, providerLogInResponse, unassignedMessage, unassignedResponse } from "./provider-responses.ts";
export { readersResponse } from "./readers-response.ts";
export { classStructure, modelStructure } from "./structure-schemas.ts";
export { emptyResponse, serviceResponse } from "./service-response.ts";
export type {
  ApiDescription,
  ClassStructureData,
  CountData,
  LockData,
  ModelStructureData,
  ObjectData,
  ObjectListData,
  ReadersData,
  RecyclerData,
  ServiceData,
} from "./response-data.ts";
export { enrolledFactorResponse, factorStateResponse } from "./second-factor-responses.ts";
