/** The clinic itself: insurers, office, practitioners and their working hours. */
import type { Extension, Location, Organization, Practitioner, PractitionerRole, Schedule } from 'fhir/r4'
import { PRACTITIONERS, type PractitionerRow } from '../tables/clinic.ts'
import { MEDICARE, PLANS } from '../tables/people.ts'
import { conformsTo, hl7, LOCATION, ORGANIZATION, practitionerName } from './common.ts'

type Identified<Resource> = Resource & { id: string }

const WORKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri'] as const

export function* clinicResources(): Generator<
  Identified<Organization | Location | Practitioner | PractitionerRole | Schedule>
> {
  yield* [MEDICARE, ...PLANS].map(({ id, name }) => payer(id, name))
  yield OFFICE
  const rows: readonly PractitionerRow[] = Object.values(PRACTITIONERS)
  yield* rows.map(practitioner)
  yield* rows.map(practitionerRole)
  yield* rows.map(schedule)
}

const payer = (id: string, name: string): Identified<Organization> => ({
  ...{ resourceType: 'Organization', id: `synthetic-payer-${id}`, meta: conformsTo('us-core-organization') },
  active: true,
  type: [hl7('organization-type', 'pay', 'Payer')],
  name,
})

const OFFICE: Identified<Location> = {
  ...{ resourceType: 'Location', id: 'synthetic-office', meta: conformsTo('us-core-location') },
  status: 'active',
  name: 'Canal Street',
  description: 'Main office, second floor, with a lift. Parking behind the building.',
  mode: 'instance',
  type: [hl7('v3-RoleCode', 'OF', 'Outpatient facility')],
  telecom: [{ system: 'phone', value: '+15185550100', use: 'work' }],
  address: { use: 'work', line: ['40 Canal Street'], city: 'Albany', state: 'NY', postalCode: '12207', country: 'US' },
  managingOrganization: ORGANIZATION,
}

const practitioner = ({
  id,
  number,
  given,
  family,
  prefix,
  suffix,
  gender,
}: PractitionerRow): Identified<Practitioner> => ({
  ...{ resourceType: 'Practitioner', id, meta: conformsTo('us-core-practitioner') },
  identifier: [{ system: 'https://sandbox-emr.example/fhir/sid/staff-number', value: number }],
  active: true,
  name: [{ use: 'official', family, given: [given], ...(prefix && { prefix: [prefix] }), suffix: [suffix] }],
  telecom: [{ system: 'email', value: `${family.toLowerCase()}@example.org`, use: 'work' }],
  gender,
})

const practitionerRole = (row: PractitionerRow): Identified<PractitionerRole> => ({
  ...{ resourceType: 'PractitionerRole', id: `${row.id}-role`, meta: conformsTo('us-core-practitionerrole') },
  active: true,
  practitioner: { reference: `Practitioner/${row.id}`, display: practitionerName(row) },
  organization: ORGANIZATION,
  code: [hl7('practitioner-role', row.role.code, row.role.display)],
  location: [LOCATION],
  telecom: [{ system: 'phone', value: '+15185550100', use: 'work' }],
})

const schedule = (row: PractitionerRow): Identified<Schedule> => ({
  ...{ resourceType: 'Schedule', id: `${row.id}-schedule`, active: true },
  extension: [AVAILABILITY],
  serviceType: [hl7('service-type', row.service.code, row.service.display)],
  actor: [{ reference: `Practitioner/${row.id}`, display: practitionerName(row) }, LOCATION],
  comment: `Visits with ${practitionerName(row)}`,
})

const hours = (from: string, until: string): Extension[] => [
  { url: 'availableStartTime', valueTime: from },
  { url: 'availableEndTime', valueTime: until },
]

/** As the diary has it (diary.ts). docs/schedule.md */
const AVAILABILITY: Extension = {
  url: 'https://sandbox-emr.example/fhir/StructureDefinition/schedule-availability',
  extension: [
    { url: 'slotMinutes', valuePositiveInt: 30 },
    { url: 'horizonDays', valuePositiveInt: 30 },
    {
      url: 'availableTime',
      extension: [...WORKDAYS.map((day) => ({ url: 'daysOfWeek', valueCode: day })), ...hours('08:30:00', '17:30:00')],
    },
    { url: 'break', extension: hours('12:00:00', '13:00:00') },
    { $holidays: 3 } as unknown as Extension,
  ],
}
