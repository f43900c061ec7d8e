import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import type { ClassStructure, SallyportClient } from "@sallyport/client";
import {
  IconFileText,
  IconLogout,
  IconQuestionMark,
  IconRecycle,
  IconSearch,
  IconTable,
  IconUser,
} from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useClasses, useConnection, usePerson } from "../connection/connection-context.tsx";
import type { ObjectRow } from "../data/cell-text.ts";
import { objectIdOf, titleOf, titlePathOf } from "../data/object-title.ts";
import { useTexts } from "../language/language.tsx";
import { useAdministrationPages } from "./side-bar.tsx";

const mostResults = 12;
const requestIds = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Users that the palette offers at a time. */
const offeredUsers = 5;

/** The class and the title of an object. Rejects with the refusal if the person can read none with the id. */
async function findObject(data: SallyportClient, id: string, classes: readonly ClassStructure[], signal: AbortSignal) {
  const read = (fields: string[]) =>
    data.getObject<ObjectRow>(id, { signal, serialization: { type: "custom", fields } });
  const { "~ClassName": className } = await read([]);
  const path = titlePathOf(
    classes.find(({ name }) => name === className),
    classes,
  );
  return { id, className, title: path === null ? id : titleOf(await read([path]), path) };
}

/** The rank of an action for a text, best first; `undefined` if it has no such text. */
function rankOf(
  { label = "", description = "", keywords = "" }: SpotlightActionData,
  text: string,
): number | undefined {
  const contains = (one: string | string[]) => String(one).toLowerCase().includes(text);
  if (String(keywords).toLowerCase() === text || label.toLowerCase() === text) return 0;
  if (label.toLowerCase().startsWith(text)) return 1;
  if (contains(label)) return 2;
  return contains(keywords) || contains(description) ? 3 : undefined;
}

/** The actions for a text: those that it names first, then those that tell of it. */
function ranked(query: string, actions: readonly SpotlightActionData[]): SpotlightActionData[] {
  const text = query.trim().toLowerCase();
  const matches = actions.flatMap((action) => {
    const rank = rankOf(action, text);
    return rank === undefined ? [] : [{ action, rank }];
  });
  return matches.toSorted((one, other) => one.rank - other.rank).map(({ action }) => action);
}

/** Pages, classes, users and actions by their names, an object and a request by their ids, on Ctrl+K. The server searches users and objects. */
export function CommandPalette({ onLogOut }: { onLogOut(): void }) {
  const texts = useTexts();
  const connection = useConnection();
  const navigate = useNavigate();
  const { mayView, mayAudit } = usePerson();
  const pages = useAdministrationPages();
  const { data: classes } = useClasses();
  const [text, setText] = useState("");
  const [sought] = useDebouncedValue(text.trim(), 200);
  const { data: users } = useQuery({
    queryKey: ["users", "palette", sought],
    queryFn: ({ signal }) =>
      connection.administer((admin) => admin.users.list({ search: sought, limit: offeredUsers, signal })),
    enabled: mayView && sought !== "",
    placeholderData: keepPreviousData,
  });
  const soughtId = objectIdOf(sought);
  const { data: object } = useQuery({
    queryKey: ["objects", "palette", soughtId],
    queryFn: ({ signal }) => connection.work((data) => findObject(data, soughtId ?? "", classes ?? [], signal)),
    enabled: soughtId !== null && classes !== undefined,
  });
  const actions: SpotlightActionData[] = [
    ...pages.map(({ to, name, help, Icon }) => ({
      id: to,
      label: name,
      description: help,
      leftSection: <Icon size={18} />,
      onClick: () => void navigate({ to }),
    })),
    {
      id: "recycle-bin",
      label: texts.recycleBin.title,
      description: texts.recycleBin.help,
      leftSection: <IconRecycle size={18} />,
      onClick: () => void navigate({ to: "/recycle-bin" }),
    },
    ...(classes ?? []).map(({ name }) => ({
      id: `class ${name}`,
      label: name,
      description: texts.classes.one,
      leftSection: <IconTable size={18} />,
      onClick: () => void navigate({ to: "/classes/$className", params: { className: name } }),
    })),
    ...(sought === "" ? [] : (users?.items ?? [])).map(({ userId, name, description }) => ({
      id: `user ${userId}`,
      label: name,
      description: description ?? texts.logIn.user,
      leftSection: <IconUser size={18} />,
      onClick: () => void navigate({ to: "/users/$userId", params: { userId } }),
    })),
    ...(object === undefined ? [] : [object]).map(({ id, className, title }) => ({
      id: `object ${id}`,
      label: title,
      description: `${className} ${id}`,
      keywords: id,
      leftSection: <IconFileText size={18} />,
      onClick: () => void navigate({ to: "/classes/$className/$objectId", params: { className, objectId: id } }),
    })),
    ...(mayAudit && requestIds.test(sought) ? [sought] : []).map((requestId) => ({
      id: `request ${requestId}`,
      label: texts.refusals.title,
      description: requestId,
      keywords: requestId,
      leftSection: <IconQuestionMark size={18} />,
      onClick: () => void navigate({ to: "/refusals/$requestId", params: { requestId } }),
    })),
    {
      id: "log-out",
      label: texts.shell.logOut,
      leftSection: <IconLogout size={18} />,
      onClick: onLogOut,
    },
  ];
  return (
    <Spotlight
      actions={actions}
      // Only plain actions are given to it, no groups.
      filter={(query) => ranked(query, actions)}
      query={text}
      onQueryChange={setText}
      limit={mostResults}
      shortcut={["mod + K"]}
      nothingFound={texts.shell.paletteEmpty}
      lockScroll={false}
      scrollable
      maxHeight={420}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        // The trap of the dialog moves the focus later, and what is typed until then would be lost.
        autoFocus: true,
        placeholder: texts.shell.palette,
        "aria-label": texts.shell.palette,
      }}
    />
  );
}
