import type { GetObject, ListObjects, LogIn, LogOut } from "@sallyport/core";

/** The use cases that the routes call; the composition root makes them. */
export interface UseCases {
  readonly logIn: LogIn;
  readonly logOut: LogOut;
  readonly getObject: GetObject;
  readonly listObjects: ListObjects;
}
