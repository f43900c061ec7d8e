import { ActionIcon, Button, Menu, UnstyledButton } from "@mantine/core";
import type { AdministeredGroupData } from "@sallyport/client/admin";
import { IconDots, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { visibleText } from "../language/visible-text.ts";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { ListPage } from "../page-parts/list-page.tsx";
import { showSuccess } from "../notices/notices.tsx";
import { type EditedGroup, GroupDialog } from "./group-dialog.tsx";
import classes from "./groups-page.module.css";

export function GroupsPage() {
  const texts = useTexts();
  const connection = useConnection();
  const { mayChange } = usePerson();
  const queries = useQueryClient();
  const [edited, setEdited] = useState<EditedGroup | null>(null);
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const deleting = ({ groupId, name }: AdministeredGroupData): ConfirmedAct => ({
    title: texts.groups.delete(name),
    consequences: texts.groups.deleteHelp,
    confirm: texts.common.delete,
    typed: name,
    act: async () => {
      await connection.work((data) => data.deleteObject(groupId));
      await queries.invalidateQueries({ queryKey: ["groups"] });
      showSuccess(texts.groups.deleted(name));
    },
  });
  const columns = [
    {
      title: texts.common.name,
      cell: (group: AdministeredGroupData) =>
        mayChange ? (
          <UnstyledButton className={classes["name"] ?? ""} onClick={() => setEdited(group)}>
            {visibleText(group.name)}
          </UnstyledButton>
        ) : (
          group.name
        ),
    },
    { title: texts.common.description, cell: ({ description }: AdministeredGroupData) => description },
  ];
  return (
    <>
      <ListPage
        title={texts.groups.title}
        help={texts.groups.help}
        queryKey={["groups"]}
        load={(request) => connection.administer((admin) => admin.groups.list(request))}
        keyOf={({ groupId }) => groupId}
        columns={columns}
        empty={texts.groups.empty}
        searchLabel={texts.groups.search}
        actions={
          mayChange && (
            <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited({ groupId: null })}>
              {texts.groups.create}
            </Button>
          )
        }
        rowActions={
          mayChange
            ? (group) => (
                <Menu position="bottom-end">
                  <Menu.Target>
                    <ActionIcon variant="subtle" color="gray" aria-label={texts.lists.actionsFor(group.name)}>
                      <IconDots size={18} />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setEdited(group)}>
                      {texts.groups.change}
                    </Menu.Item>
                    <Menu.Item
                      color="red"
                      leftSection={<IconTrash size={16} />}
                      onClick={() => setConfirmed(deleting(group))}
                    >
                      {texts.common.delete}
                    </Menu.Item>
                  </Menu.Dropdown>
                </Menu>
              )
            : undefined
        }
      />
      <GroupDialog edited={edited} onClose={() => setEdited(null)} />
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </>
  );
}
