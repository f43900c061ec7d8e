export {
  type Answering,
  type LicenceMessage,
  LicenceReceiver,
  type LicenceReceiverOptions,
} from "./licence-receiver.ts";
