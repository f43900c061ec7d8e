export { encryptedMessage } from "./encrypted-message.ts";
export { keySetResponse } from "./key-set-response.ts";
export {
  doubleLogInResponse,
  secureLogInResponse,
  serverKeyResponse,
  sessionLogInResponse,
  tokenLogInResponse,
} from "./log-in-response.ts";
export { objectListSchema, objectSchema } from "./object-schemas.ts";
export { emptyResponse, serviceResponse } from "./service-response.ts";
export type { ObjectData, ObjectListData, ServiceData } from "./response-data.ts";
