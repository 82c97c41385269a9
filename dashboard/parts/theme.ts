/** The theme: one colour for controls, greys for the rest, with sufficient contrast in light and dark. */
import { type CSSVariablesResolver, createTheme } from '@mantine/core'

const propsOf = (defaultProps: object) => ({ defaultProps })
/** The name of close buttons, which show only an icon. */
const CLOSE = { 'aria-label': 'Close' }

export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: 9,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  headings: { fontWeight: '650' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ...Object.fromEntries(['ModalCloseButton', 'DrawerCloseButton'].map((name) => [name, propsOf(CLOSE)])),
    // The header of a dialog is not a header of the page.
    ...Object.fromEntries(['ModalHeader', 'DrawerHeader'].map((name) => [name, propsOf({ role: 'presentation' })])),
    Notification: propsOf({ closeButtonProps: CLOSE }),
    // Text of the size of labels, fields and tables; only headings are larger.
    ...Object.fromEntries(['Text', 'Anchor'].map((name) => [name, propsOf({ size: 'sm' })])),
    EmptyState: propsOf({ size: 'sm' }),
    // Words as they are written, codes among them.
    Badge: propsOf({ radius: 'sm', tt: 'none' }),
    // With the scrollbar of the browser, as another one takes its room late; the keys scroll it too.
    TableScrollContainer: propsOf({ type: 'native', tabIndex: 0 }),
  },
})

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  // Variables of a color scheme go before those of both.
  light: {
    '--mantine-color-cyan-filled-hover': '#084c58',
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-body': '#fbfcfc',
    '--mantine-color-cyan-light': '#e3fafc',
    '--mantine-color-cyan-light-hover': '#d3f5f9',
  },
  dark: {
    '--mantine-color-cyan-filled-hover': '#084c58',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-dimmed': '#a6a7ab',
    '--mantine-color-anchor': '#66d9e8',
  },
})
