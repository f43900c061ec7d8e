import { PasswordInput, type PasswordInputProps } from "@mantine/core";
import { SallyportError } from "@sallyport/client";
import { useEffect, useRef } from "react";
import { useTexts } from "../language/language.tsx";
import { failureParts } from "../notices/notices.tsx";

/** The server refuses the password. */
const refusedPassword = 320;

export const isPasswordRefusal = (error: unknown): boolean =>
  error instanceof SallyportError && error.code === refusedPassword;

interface NewPasswordInputProps extends Pick<PasswordInputProps, "value" | "onChange"> {
  readonly "data-autofocus"?: boolean;
  /** Whom the password is for. A database can ask custom users for longer or shorter ones. */
  readonly of: "users" | "customUsers";
  /** The failure of the last try. A refusal of the password shows here, any other elsewhere. */
  readonly error: unknown;
}

/** A password that an administrator sets. */
export function NewPasswordInput({ of, error, ...input }: NewPasswordInputProps) {
  const texts = useTexts();
  const { text, detail } = failureParts(error);
  const isRefused = isPasswordRefusal(error);
  const field = useRef<HTMLInputElement>(null);
  // A long dialog can be scrolled away from the field.
  useEffect(() => {
    if (isRefused) field.current?.focus();
  }, [error, isRefused]);
  return (
    <PasswordInput
      {...input}
      ref={field}
      label={texts.users.password}
      description={of === "users" ? texts.users.passwordLength : undefined}
      error={isRefused && (detail ?? text)}
      aria-invalid={isRefused}
      autoComplete="new-password"
      required
    />
  );
}
