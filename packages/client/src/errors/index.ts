export { ChannelError, type ChannelFailure } from "./channel-error.ts";
export { NotLoggedInError } from "./not-logged-in-error.ts";
export { type FailureCode, type Refusal, SallyportError } from "./sallyport-error.ts";
export { TransportError, type TransportFailure } from "./transport-error.ts";
