import { Button, Checkbox, CopyButton, Menu, TextInput } from "@mantine/core";
import type { ViewData, ViewDefinitionData } from "@sallyport/contract";
import { IconBookmark, IconLink, IconTrash, IconUsers } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { Dialog, DialogForm } from "../page-parts/dialog.tsx";
import { showFailure } from "../notices/notices.tsx";
import { MenuLink } from "../shell/links.tsx";
import { useListState } from "./list-state.ts";
import { useViews, viewsKey } from "./views.ts";

/** What a list shows, as a view stores it. */
export type ListContent = Omit<ViewDefinitionData, "name" | "isShared">;

interface ViewMenuProps {
  readonly className: string;
  /** The view that is open. */
  readonly view: ViewData | undefined;
  readonly content: ListContent;
}

/** Saved views of a class: opens, saves, renames, shares and deletes them. */
export function ViewMenu({ className, view, content }: ViewMenuProps) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const { change } = useListState();
  const { data: views = [] } = useViews(className);
  const [named, setNamed] = useState<"new" | "open" | null>(null);
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const reload = () => queries.invalidateQueries({ queryKey: viewsKey(className) });
  const own = view?.isOwn === true ? view : undefined;
  const replace = async (saved: ViewData, definition: ViewDefinitionData) => {
    const request = { path: { className, id: saved.id }, body: definition, ifMatch: `"${saved.version}"` };
    await connection.work((client) => client.call("PUT /v1/views/{className}/{id}", request));
    await reload();
  };
  const save = useMutation({
    mutationFn: (saved: ViewData) => replace(saved, { ...content, name: saved.name, isShared: saved.isShared }),
    onError: (error) => showFailure(texts.notices.saveFailed, error),
  });
  const create = async (definition: ViewDefinitionData) => {
    const request = { path: { className }, body: definition };
    const { id } = await connection.work((client) => client.call("POST /v1/views/{className}", request));
    await reload();
    change({ view: id });
  };
  const removal = ({ id, name }: ViewData): ConfirmedAct => ({
    title: texts.views.delete(name),
    consequences: texts.views.deleteHelp,
    confirm: texts.common.delete,
    act: async () => {
      const request = { path: { className, id } };
      await connection.work((client) => client.call("DELETE /v1/views/{className}/{id}", request));
      change({ view: undefined });
      await reload();
    },
  });
  const address = view === undefined ? "" : `${location.href.replace(/\?.*$/, "")}?open=${view.id}`;
  return (
    <>
      <Menu position="bottom-end" width={280}>
        <Menu.Target>
          <Button
            data-compact
            variant={view === undefined ? "default" : "light"}
            leftSection={<IconBookmark size={16} />}
          >
            {view?.name ?? texts.views.title}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.map(({ id, name, isShared }) => (
            <MenuLink
              key={id}
              to="/classes/$className"
              params={{ className }}
              search={{ open: id } as never}
              rightSection={isShared ? <IconUsers size={14} aria-label={texts.views.isShared} /> : null}
            >
              {name}
            </MenuLink>
          ))}
          {views.length > 0 && <Menu.Divider />}
          {own !== undefined && <Menu.Item onClick={() => save.mutate(own)}>{texts.views.save}</Menu.Item>}
          <Menu.Item onClick={() => setNamed("new")}>{texts.views.create}</Menu.Item>
          {view !== undefined && (
            <CopyButton value={address}>
              {({ copied, copy }) => (
                <Menu.Item leftSection={<IconLink size={14} />} closeMenuOnClick={false} onClick={copy}>
                  {copied ? texts.notices.copied : texts.views.copyLink}
                </Menu.Item>
              )}
            </CopyButton>
          )}
          {own !== undefined && (
            <>
              <Menu.Item onClick={() => setNamed("open")}>{texts.views.rename}</Menu.Item>
              <Menu.Item color="red" leftSection={<IconTrash size={14} />} onClick={() => setConfirmed(removal(own))}>
                {texts.views.deleteOpen}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Dialog
        isOpen={named !== null}
        title={named === "open" ? texts.views.rename : texts.views.create}
        onClose={() => setNamed(null)}
      >
        <ViewForm
          former={named === "open" ? own : undefined}
          onClose={() => setNamed(null)}
          onSave={({ name, isShared }) => {
            if (named !== "open" || own === undefined) return create({ ...content, name, isShared });
            const { columns, where, sort, search } = own;
            return replace(own, { columns, where, sort, search, name, isShared });
          }}
        />
      </Dialog>
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </>
  );
}

interface ViewFormProps {
  /** The view to rename or share. Absent for a new one. */
  readonly former: ViewData | undefined;
  onSave(view: Pick<ViewData, "name" | "isShared">): Promise<void>;
  onClose(): void;
}

function ViewForm({ former, onSave, onClose }: ViewFormProps) {
  const texts = useTexts();
  const [name, setName] = useState(former?.name ?? "");
  const [isShared, setShared] = useState(former?.isShared ?? false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => onSave({ name: name.trim(), isShared }),
    onSuccess: onClose,
  });
  return (
    <DialogForm
      submit={texts.common.save}
      isDisabled={name.trim() === ""}
      isPending={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <TextInput
        label={texts.views.name}
        value={name}
        maxLength={100}
        data-autofocus
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Checkbox
        label={texts.views.share}
        description={texts.views.shareHelp}
        checked={isShared}
        onChange={({ currentTarget }) => setShared(currentTarget.checked)}
      />
    </DialogForm>
  );
}
