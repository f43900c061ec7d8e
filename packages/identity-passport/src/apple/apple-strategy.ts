import { Strategy } from "passport-apple";
import type { OAuthStrategy, StrategyClass, StrategyOptions, Verify } from "../strategies/oauth-strategy.ts";

/**
 * Apple's strategy, but for its own request for tokens, which keeps all but the id token to itself and makes a client secret that
 * lasts for half a year. Underneath is the one that all strategies have; it sends the client secret of the options.
 */
export function appleStrategy(options: StrategyOptions, verify: Verify): OAuthStrategy {
  const strategy = new (Strategy as unknown as StrategyClass)(options, verify);
  Reflect.deleteProperty(strategy._oauth2, "getOAuthAccessToken");
  return strategy;
}
