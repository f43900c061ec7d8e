import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { visibleText } from "../language/visible-text.ts";

/** Users that the picker offers at a time. */
const offered = 20;

interface UserPickerProps {
  readonly label: string;
  /** Shows the label above the field. Otherwise it is the placeholder. */
  readonly isLabelled?: boolean;
  readonly value: string | null;
  onChange(userId: string | null): void;
}

/** Chooses a user by name. The server searches. */
export function UserPicker({ label, isLabelled = false, value, onChange }: UserPickerProps) {
  const texts = useTexts();
  const connection = useConnection();
  const [text, setText] = useState("");
  const { data: chosen } = useQuery({
    queryKey: ["users", value],
    queryFn: ({ signal }) => connection.administer((admin) => admin.users.get(value ?? "", { signal })),
    enabled: value !== null,
  });
  const [sought] = useDebouncedValue(text === visibleText(chosen?.name ?? "") ? "" : text.trim(), 250);
  const { data: page } = useQuery({
    queryKey: ["users", "picker", sought],
    queryFn: ({ signal }) =>
      connection.administer((admin) => admin.users.list({ search: sought || undefined, limit: offered, signal })),
    placeholderData: keepPreviousData,
  });
  const users = new Map((page?.items ?? []).map(({ userId, name }) => [userId, name]));
  if (chosen !== undefined) users.set(chosen.userId, chosen.name);
  return (
    <Select
      {...(isLabelled ? { label } : { "aria-label": label, placeholder: label })}
      data={Array.from(users, ([userId, name]) => ({ value: userId, label: visibleText(name) }))}
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      searchable
      searchValue={text}
      onSearchChange={setText}
      nothingFoundMessage={texts.lists.nothingFound}
      clearable
      clearButtonProps={{ "aria-label": texts.users.clearUser }}
    />
  );
}
