import type {
  GetObject,
  KeyRings,
  ListObjects,
  LogIn,
  LogInMessages,
  LogInSecurely,
  LogInWithBoth,
  LogInWithToken,
  LogOut,
} from "@sallyport/core";

/** What the routes call; the composition root makes them. */
export interface UseCases {
  readonly logIn: LogIn;
  readonly logInWithToken: LogInWithToken;
  readonly logInWithBoth: LogInWithBoth;
  readonly logInSecurely: LogInSecurely;
  readonly logInMessages: LogInMessages;
  readonly keyRings: KeyRings;
  readonly logOut: LogOut;
  readonly getObject: GetObject;
  readonly listObjects: ListObjects;
}
