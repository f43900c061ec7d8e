import { Anchor, createTheme, Drawer, Modal, Table, Tooltip } from "@mantine/core";

/** Static parts of the theme. Its variables are in `theme.css`, since a page under the policy cannot add a style element. */
export const theme = createTheme({
  primaryColor: "indigo",
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Anchor: Anchor.extend({ defaultProps: { size: "sm" } }),
    // The lock of scrolling adds a style element.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false, position: "right" } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: "xs", highlightOnHover: true } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300, withArrow: true } }),
  },
});
