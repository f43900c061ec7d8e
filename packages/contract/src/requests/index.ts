export { attributesRequest } from "./attributes-request.ts";
export { confirmChangePasswordRequest } from "./confirm-change-request.ts";
export { executeParameters } from "./execute-parameters.ts";
export { parseIfMatch } from "./if-match.ts";
export { type AttributeData, classDefinition, type ClassDefinitionData, type RightData } from "./class-definition.ts";
export { logInCredentials, logInFaultOrder, logInOptions, type LogInRequest, logInRequest } from "./log-in-request.ts";
export {
  encryptedLogInRequest,
  isEncryptedLogIn,
  secureLogInFaultOrder,
  secureLogInRequest,
} from "./secure-log-in-request.ts";
export { maximumItems, multiItem, multiItems, multiParameters, multiRequest } from "./multi-request.ts";
export { factorTokenRequest, secondFactorParameters } from "./second-factor-requests.ts";
export {
  deleteParameters,
  listParameters,
  objectParameters,
  purgeParameters,
  recyclerParameters,
  updateParameters,
} from "./object-parameters.ts";
export {
  changePasswordFaultOrder,
  changePasswordRequest,
  confirmResetPasswordFaultOrder,
  confirmResetPasswordRequest,
  encryptedChangePasswordRequest,
  isEncryptedChange,
  resetPasswordRequest,
} from "./password-requests.ts";
export { readersRequest } from "./readers-request.ts";
export type { Serialization, SerializationField } from "./serialization-parameter.ts";
export {
  linkingLogInRequest,
  providerCallbackParameters,
  providerLogInParameters,
  returnCodeRequest,
} from "./provider-requests.ts";
export { splitAppNames } from "./split-app-names.ts";
