import { IncomingMessage, ServerResponse } from "node:http";
import type { Express } from "express";
import { PieceGatherer } from "../body/piece-gatherer.ts";

/** What the HTTP server makes requests and responses of. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Classes whose instances are born with the prototypes that Express gives to requests and responses. It changes the
 * prototype of each otherwise, after which the engine knows nothing of the object's shape any more and every later
 * access to it is slow: a third of the time of a small request. `refuseBody` is told of bodies that come in too many pieces.
 */
export function expressMessages(application: Express, refuseBody: (request: IncomingMessage) => void): MessageClasses {
  class ExpressRequest extends IncomingMessage {
    private gatherer: PieceGatherer | null = null;

    /** Node calls it with each piece of the body as it comes, and with `null` at the end. */
    override push(piece: Buffer | null): boolean {
      if (piece === null && this.gatherer === null) return super.push(null);
      this.gatherer ??= new PieceGatherer({ take: (block) => super.push(block), refuse: () => refuseBody(this) });
      return this.gatherer.push(piece);
    }
  }
  class ExpressResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  // Express's own prototypes end in those of Node's classes.
  Object.setPrototypeOf(ExpressRequest.prototype, application.request);
  Object.setPrototypeOf(ExpressResponse.prototype, application.response);
  application.request = ExpressRequest.prototype as unknown as typeof application.request;
  application.response = ExpressResponse.prototype as typeof application.response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
