/** The icons, each drawn with one line; beside a text they are hidden from screen readers. */

const PATHS = {
  add: 'M12 5v14M5 12h14',
  arrowLeft: 'M19 12H5M11 6l-6 6 6 6',
  bell: 'M6 17v-6a6 6 0 0 1 12 0v6l1.5 1h-15zM10 21h4',
  calendar: 'M4 6h16v14H4zM4 10.5h16M8.5 3v4M15.5 3v4',
  call: 'M5 4h4l2 5-2.5 1.5a11 11 0 0 0 5 5L15 13l5 2v4a2 2 0 0 1-2 2A16 16 0 0 1 3 6a2 2 0 0 1 2-2z',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2',
  close: 'M6 6l12 12M18 6L6 18',
  code: 'M8.5 7L3.5 12l5 5M15.5 7l5 5-5 5',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  document: 'M6 3h8l5 5v13H6zM14 3v5h5',
  down: 'M6 9l6 6 6-6',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  explorer: 'M5 4h14v6H5zM5 14h14v6H5zM8.5 7h.01M8.5 17h.01',
  flask: 'M9 3h6M10 3v6L4.5 18.5A1.7 1.7 0 0 0 6 21h12a1.7 1.7 0 0 0 1.5-2.5L14 9V3M7.5 15h9',
  history: 'M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4M12 8v4.5l3 1.5',
  journal: 'M4 6h16M4 12h16M4 18h10',
  key: 'M14.5 3a6.5 6.5 0 1 1-5.9 9.2L3 17.8V21h3.5v-2.5H9V16h2M16 7.5h.01',
  merge: 'M7 4v4a4 4 0 0 0 4 4h6M7 20v-4a4 4 0 0 1 4-4M13 8l4 4-4 4',
  message: 'M4 5h16v11H10l-5 4v-4H4z',
  moon: 'M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  overview: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  patients:
    'M9 4a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.5M17.5 14a6.5 6.5 0 0 1 4 6',
  play: 'M7 4.5l12 7.5-12 7.5z',
  plan: 'M9 4h6v3H9zM9 5H5v16h14V5h-4M8.5 12h7M8.5 16h5',
  refresh: 'M20 12a8 8 0 1 1-2.5-5.8M20 4v4h-4',
  run: 'M5 21V4M5 4.5h13l-3 4.5 3 4.5H5',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM20 20l-4.8-4.8',
  settings:
    'M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 14.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  signOut: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  tasks: 'M4 6l1.5 1.5L8.5 5M4 12.5L5.5 14l3-3M4 19l1.5 1.5 3-3M12 6.5h8M12 12.5h8M12 18.5h8',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.5 20.5a7.5 7.5 0 0 1 15 0',
  warning: 'M12 4L2.5 20h19zM12 10v4.5M12 17.5h.01',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
