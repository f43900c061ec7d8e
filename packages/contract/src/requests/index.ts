export { logInFaultOrder, type LogInRequest, logInRequest } from "./log-in-request.ts";
export {
  encryptedLogInRequest,
  isEncryptedLogIn,
  secureLogInFaultOrder,
  secureLogInRequest,
} from "./secure-log-in-request.ts";
export { listParameters, objectParameters } from "./object-parameters.ts";
export type { Serialization } from "./serialization-parameter.ts";
