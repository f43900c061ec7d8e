import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Card,
  type CardProps,
  Menu,
  type MenuItemProps,
  NavLink,
  type NavLinkProps,
} from "@mantine/core";
import { createLink, type LinkComponent } from "@tanstack/react-router";
import type { FocusEvent, ReactNode, Ref } from "react";
import { visibleText } from "../language/visible-text.ts";

interface LinkElement {
  readonly ref?: Ref<HTMLAnchorElement>;
  readonly children?: ReactNode;
  readonly tabIndex?: number;
  onFocus?(event: FocusEvent<HTMLAnchorElement>): void;
}

const sideLink = (props: Omit<NavLinkProps, "href"> & LinkElement) => <NavLink {...props} component="a" />;
const textLink = ({ children, ...props }: Omit<AnchorProps, "href"> & LinkElement) => (
  <Anchor {...props}>{typeof children === "string" ? visibleText(children) : children}</Anchor>
);
const buttonLink = (props: Omit<ButtonProps, "href"> & LinkElement) => <Button {...props} component="a" />;
const cardLink = (props: CardProps & LinkElement) => <Card {...props} component="a" />;
const menuLink = (props: Omit<MenuItemProps, "href"> & LinkElement) => <Menu.Item {...props} component="a" />;

/** Links to pages of the router: real ones, for new tabs and copied addresses. */
export const SideLink: LinkComponent<typeof sideLink> = createLink(sideLink);
export const TextLink: LinkComponent<typeof textLink> = createLink(textLink);
export const CardLink: LinkComponent<typeof cardLink> = createLink(cardLink);
export const MenuLink: LinkComponent<typeof menuLink> = createLink(menuLink);
export const ButtonLink: LinkComponent<typeof buttonLink> = createLink(buttonLink);
