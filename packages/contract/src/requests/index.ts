export { logInFaultOrder, type LogInRequest, logInRequest } from "./log-in-request.ts";
export { listParameters, objectParameters } from "./object-parameters.ts";
