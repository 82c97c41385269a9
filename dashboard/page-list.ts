/** The pages. A new one is a line here and a folder in `pages/`; it is loaded when it is opened. */
import type { IconName } from './parts/icon.tsx'

export interface DashboardPage {
  /** Below /dashboard, `$name` being a part that varies. */
  readonly path: string
  readonly load: () => Promise<object>
  /** The name of the component in the loaded module. */
  readonly component: string
  /** In the navigation; absent: the page is reached from another one. */
  readonly navigation?: NavigationEntry
}

export interface NavigationEntry {
  readonly label: string
  readonly icon: IconName
  /** An operator of no clinic has it too. */
  readonly isForService?: boolean
  /** Only where the server lets clinics rehearse. */
  readonly isRehearsal?: boolean
  /** Only for admins and operators. */
  readonly isForAdmins?: boolean
  /** Only for operators. */
  readonly isForOperators?: boolean
}

export const pages: readonly DashboardPage[] = [
  {
    path: '/',
    load: () => import('./pages/overview/overview-page.tsx'),
    component: 'OverviewPage',
    navigation: { label: 'Overview', icon: 'overview' },
  },
  {
    path: '/patients',
    load: () => import('./pages/patients/patients-page.tsx'),
    component: 'PatientsPage',
    navigation: { label: 'Patients', icon: 'patients' },
  },
  {
    path: '/patients/$id',
    load: () => import('./pages/patient/patient-page.tsx'),
    component: 'PatientPage',
  },
  {
    path: '/schedule',
    load: () => import('./pages/schedule/schedule-page.tsx'),
    component: 'SchedulePage',
    navigation: { label: 'Schedule', icon: 'calendar' },
  },
  {
    path: '/schedule/print',
    load: () => import('./pages/schedule/print-page.tsx'),
    component: 'PrintPage',
  },
  {
    path: '/schedule/slip/$id',
    load: () => import('./pages/schedule/slip-page.tsx'),
    component: 'SlipPage',
  },
  {
    path: '/schedule/hours/$id',
    load: () => import('./pages/schedule/hours-page.tsx'),
    component: 'HoursPage',
  },
  {
    path: '/work-list',
    load: () => import('./pages/work-list/work-list-page.tsx'),
    component: 'WorkListPage',
    navigation: { label: 'Work list', icon: 'tasks' },
  },
  {
    path: '/calls',
    load: () => import('./pages/calls/calls-page.tsx'),
    component: 'CallsPage',
    navigation: { label: 'Live calls', icon: 'call' },
  },
  {
    path: '/messages',
    load: () => import('./pages/messages/messages-page.tsx'),
    component: 'MessagesPage',
    navigation: { label: 'Messages', icon: 'message' },
  },
  {
    path: '/events',
    load: () => import('./pages/events/events-page.tsx'),
    component: 'EventsPage',
    navigation: { label: 'Events', icon: 'bell' },
  },
  {
    path: '/events/$id',
    load: () => import('./pages/events/subscription-page.tsx'),
    component: 'SubscriptionPage',
  },
  {
    path: '/explorer',
    load: () => import('./pages/explorer/explorer-page.tsx'),
    component: 'ExplorerPage',
    navigation: { label: 'FHIR explorer', icon: 'explorer', isForService: true },
  },
  {
    path: '/journal',
    load: () => import('./pages/journal/journal-page.tsx'),
    component: 'JournalPage',
    navigation: { label: 'Requests', icon: 'journal' },
  },
  {
    path: '/journal/$id',
    load: () => import('./pages/exchange/exchange-page.tsx'),
    component: 'ExchangePage',
  },
  {
    path: '/exports',
    load: () => import('./pages/exports/exports-page.tsx'),
    component: 'ExportsPage',
    navigation: { label: 'Exports', icon: 'download' },
  },
  {
    path: '/audit',
    load: () => import('./pages/audit/audit-page.tsx'),
    component: 'AuditPage',
    navigation: { label: 'Audit', icon: 'history', isForAdmins: true },
  },
  {
    path: '/sandbox',
    load: () => import('./pages/sandbox/sandbox-page.tsx'),
    component: 'SandboxPage',
    navigation: { label: 'Sandbox', icon: 'flask', isRehearsal: true },
  },
  {
    path: '/runs',
    load: () => import('./pages/runs/runs-page.tsx'),
    component: 'RunsPage',
    navigation: { label: 'Runs', icon: 'run', isRehearsal: true },
  },
  {
    path: '/runs/$id',
    load: () => import('./pages/runs/run-page.tsx'),
    component: 'RunPage',
  },
  {
    path: '/plans',
    load: () => import('./pages/plans/plans-page.tsx'),
    component: 'PlansPage',
    navigation: { label: 'Plans', icon: 'plan', isRehearsal: true },
  },
  {
    path: '/plans/$id',
    load: () => import('./pages/plans/plan-page.tsx'),
    component: 'PlanPage',
  },
  {
    path: '/clinics',
    load: () => import('./pages/clinics/clinics-page.tsx'),
    component: 'ClinicsPage',
    navigation: { label: 'Clinics', icon: 'patients', isForService: true, isForOperators: true },
  },
  {
    path: '/settings',
    load: () => import('./pages/settings/settings-page.tsx'),
    component: 'SettingsPage',
    navigation: { label: 'Settings', icon: 'settings', isForService: true },
  },
  {
    path: '/help',
    load: () => import('./pages/help/help-page.tsx'),
    component: 'HelpPage',
    navigation: { label: 'Help', icon: 'document', isForService: true },
  },
]
