/** The parts of the settings, one of which is seen at a time. */

export const TABS = {
  clinic: 'Clinic',
  booking: 'Booking',
  data: 'Data and documents',
  connectors: 'Connectors',
  accounts: 'Accounts',
  tokens: 'Tokens',
}
export type SettingsTab = keyof typeof TABS

/** Tabs that are no part of the form, for admins and operators. */
const ACCESS: readonly SettingsTab[] = ['accounts', 'tokens']
export const isAccess = (tab: SettingsTab): boolean => ACCESS.includes(tab)
