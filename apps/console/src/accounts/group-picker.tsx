import { MultiSelect, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { visibleText } from "../language/visible-text.ts";

/** Groups that the picker offers at a time. */
const offered = 20;

interface GroupPickerProps {
  /** Absent: the groups of a user. */
  readonly label?: string;
  readonly value?: readonly string[];
  onChange?(groups: string[]): void;
}

/** Names of groups by id, without those that are not loaded. */
export function useGroupNames(groupIds: readonly string[]): ReadonlyMap<string, string> {
  const connection = useConnection();
  const groups = useQueries({
    queries: groupIds.map((groupId) => ({
      queryKey: ["groups", groupId],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        connection.administer((admin) => admin.groups.get(groupId, { signal })),
    })),
  });
  return new Map(groups.flatMap(({ data }) => (data === undefined ? [] : [[data.groupId, data.name]])));
}

/** The names of groups by their ids: of the chosen ones, and of those that the server finds by a text. */
function useOfferedGroups(chosen: readonly string[], text: string): ReadonlyMap<string, string> {
  const connection = useConnection();
  const [sought] = useDebouncedValue(text.trim(), 250);
  const chosenNames = useGroupNames(chosen);
  const { data: page } = useQuery({
    queryKey: ["groups", "picker", sought],
    queryFn: ({ signal }) =>
      connection.administer((admin) => admin.groups.list({ search: sought || undefined, limit: offered, signal })),
    placeholderData: keepPreviousData,
  });
  const names = new Map(chosen.map((groupId) => [groupId, chosenNames.get(groupId) ?? groupId]));
  for (const { groupId, name } of page?.items ?? []) names.set(groupId, name);
  return names;
}

const optionsOf = (names: ReadonlyMap<string, string>) =>
  Array.from(names, ([groupId, name]) => ({ value: groupId, label: visibleText(name) }));

/** Chooses groups by their names. The server searches. */
export function GroupPicker({ label, value = [], onChange }: GroupPickerProps) {
  const texts = useTexts();
  const [text, setText] = useState("");
  return (
    <MultiSelect
      label={label ?? texts.users.groups}
      data={optionsOf(useOfferedGroups(value, text))}
      value={[...value]}
      {...(onChange === undefined ? {} : { onChange })}
      searchable
      searchValue={text}
      onSearchChange={setText}
      nothingFoundMessage={texts.lists.nothingFound}
      hidePickedOptions
      clearable
      clearButtonProps={{ "aria-label": texts.users.clearGroups }}
    />
  );
}

interface GroupSelectProps {
  readonly value: string | null;
  onChange(groupId: string | null): void;
}

/** Chooses one group. */
export function GroupSelect({ value, onChange }: GroupSelectProps) {
  const texts = useTexts();
  const [text, setText] = useState("");
  const names = useOfferedGroups(value === null ? [] : [value], value === null ? text : "");
  return (
    <Select
      label={texts.appRules.group}
      data={optionsOf(names)}
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      searchable
      searchValue={text}
      onSearchChange={setText}
      nothingFoundMessage={texts.lists.nothingFound}
    />
  );
}
