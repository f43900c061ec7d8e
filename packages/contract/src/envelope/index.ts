export {
  type Envelope,
  envelopeOf,
  failureEnvelope,
  type Status,
  statusSchema,
  successMessage,
  successStatus,
} from "./envelope.ts";
