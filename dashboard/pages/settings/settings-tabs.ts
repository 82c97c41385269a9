/** The parts of the settings, one of which is seen at a time. */

export const TABS = {
  clinic: 'Clinic',
  booking: 'Booking',
  data: 'Data and documents',
  connectors: 'Connectors',
  accounts: 'Accounts',
}
export type SettingsTab = keyof typeof TABS
