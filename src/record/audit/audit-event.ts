/**
 * Events of the audit trail as FHIR: AuditEvent (https://hl7.org/fhir/R4/auditevent.html) in the shape of IHE's Basic Audit Log
 * Patterns (https://profiles.ihe.net/ITI/BALP/). They are made when they are read.
 */
import type { AuditEvent, AuditEventAgent, AuditEventEntity, Coding, Reference } from 'fhir/r4'
import { ACTIONS, type Access, type AuditedEvent, isRestful, type RestfulInteraction } from './event.ts'

/** An event, or one patient's share of it: BALP demands an AuditEvent for each patient of an event. */
export interface PatientPart {
  readonly event: AuditedEvent
  /** Patient.id; absent: no patient is known. */
  readonly patient?: string | undefined
}

const BALP = 'https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit.'
const DCM = 'http://dicom.nema.org/resources/ontology/DCM'
const TYPES = 'http://terminology.hl7.org/CodeSystem/audit-event-type'
const INTERACTIONS = 'http://hl7.org/fhir/restful-interaction'
const PARTICIPATION = 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType'
const ENTITY_TYPES = 'http://terminology.hl7.org/CodeSystem/audit-entity-type'
const ROLES = 'http://terminology.hl7.org/CodeSystem/object-role'
const SOURCES = 'http://terminology.hl7.org/CodeSystem/security-source-type'

/** Systems of the identifiers of agents: user names, and the call ids of voice platforms. */
const AGENT_SYSTEMS = { user: 'urn:sandbox-emr:user', call: 'urn:sandbox-emr:call' } as const

/** @param server address of this server, without a trailing slash */
export function auditEventOf({ event, patient }: PatientPart, id: string, server: string): AuditEvent & { id: string } {
  const recorded = new Date(event.at).toISOString()
  const profile = profileOf(event, patient)
  const { text: outcomeDesc, code: outcome } = outcomeOf(event)
  return {
    resourceType: 'AuditEvent',
    id,
    meta: { versionId: '1', lastUpdated: recorded, ...(profile === undefined ? {} : { profile: [profile] }) },
    ...kindOf(event),
    action: ACTIONS[event.interaction],
    recorded,
    outcome,
    ...(outcomeDesc === undefined ? {} : { outcomeDesc }),
    agent: agentsOf(event, server),
    source: {
      site: server,
      observer: { display: 'sandbox-emr', identifier: { value: server } },
      type: [{ system: SOURCES, code: '4', display: 'Application Server' }],
    },
    ...entitiesOf(event, patient),
  }
}

/** Undefined where BALP has no pattern: its patterns cover successful interactions only. */
function profileOf({ interaction, status, ...subject }: AuditedEvent, patient: string | undefined): string | undefined {
  if (status >= 400) return undefined
  const name = PATTERNS[interaction]
  if (name === undefined || (name !== 'Query' && whatOf(subject) === undefined)) return undefined
  return `${BALP}${patient === undefined ? '' : 'Patient'}${name}`
}

const PATTERNS: Readonly<Partial<Record<Access['interaction'], string>>> = {
  read: 'Read',
  vread: 'Read',
  'search-type': 'Query',
  'search-system': 'Query',
  'search-compartment': 'Query',
  create: 'Create',
  update: 'Update',
  patch: 'Update',
  delete: 'Delete',
}

type Kind = Pick<AuditEvent, 'type' | 'subtype'>

function kindOf({ interaction, status }: AuditedEvent): Kind {
  if (!isRestful(interaction)) return interaction === 'refusal' && status === 401 ? UNAUTHENTICATED : KINDS[interaction]
  return restful(interaction === 'search-compartment' ? 'search' : interaction)
}

const restful = (code: string): Kind => ({
  type: { system: TYPES, code: 'rest', display: 'RESTful Operation' },
  subtype: [{ system: INTERACTIONS, code, display: code }],
})

const SECURITY_ALERT: Coding = { system: DCM, code: '110113', display: 'Security Alert' }
const AUTHENTICATION: Coding = { system: DCM, code: '110114', display: 'User Authentication' }

const UNAUTHENTICATED: Kind = {
  type: SECURITY_ALERT,
  subtype: [{ system: DCM, code: '110126', display: 'Node Authentication' }],
}

const KINDS: Readonly<Record<Exclude<Access['interaction'], RestfulInteraction>, Kind>> = {
  // An operation, called at an address of its own.
  tool: restful('operation'),
  call: { type: { system: DCM, code: '110100', display: 'Application Activity' } },
  login: { type: AUTHENTICATION, subtype: [{ system: DCM, code: '110122', display: 'Login' }] },
  logout: { type: AUTHENTICATION, subtype: [{ system: DCM, code: '110123', display: 'Logout' }] },
  refusal: { type: SECURITY_ALERT },
  gap: { type: SECURITY_ALERT },
}

/** https://hl7.org/fhir/R4/valueset-audit-event-outcome.html */
function outcomeOf({ interaction, status, detail }: AuditedEvent): {
  readonly code: AuditEvent['outcome']
  readonly text?: string
} {
  if (interaction === 'gap') return { code: '8', text: detail }
  const text = `HTTP status ${status}`
  if (status >= 500) return { code: '8', text }
  return status >= 400 ? { code: '4', text } : { code: '0' }
}

/**
 * The two machines, in the roles that BALP assigns by the direction in which data flow, and the acting user or call.
 */
function agentsOf(event: AuditedEvent, server: string): AuditEventAgent[] {
  const roles = machineRoles(event)
  const machines: AuditEventAgent[] = [
    {
      type: { coding: [roles.server] },
      who: { display: 'sandbox-emr', identifier: { value: server } },
      requestor: false,
      network: { address: server, type: '5' },
    },
  ]
  if (event.agent.kind === 'server') return machines.map((machine) => ({ ...machine, requestor: true }))
  machines.unshift({
    type: { coding: [roles.client] },
    who: { display: event.address || 'a client that has left' },
    requestor: event.agent.kind === 'unknown',
    ...(event.address === '' ? {} : { network: { address: event.address, type: '2' as const } }),
  })
  const user = userOf(event)
  return user === undefined ? machines : [...machines, user]
}

const SOURCE: Coding = { system: DCM, code: '110153', display: 'Source Role ID' }
const DESTINATION: Coding = { system: DCM, code: '110152', display: 'Destination Role ID' }

/**
 * By DICOM and BALP a query flows from the client to the server, and data that are read flow from the server to the
 * client.
 */
function machineRoles({ interaction }: AuditedEvent): { readonly client: Coding; readonly server: Coding } {
  if (interaction === 'delete') {
    return {
      client: { system: DCM, code: '110150', display: 'Application' },
      server: {
        system: 'http://terminology.hl7.org/CodeSystem/provenance-participant-type',
        code: 'custodian',
        display: 'Custodian',
      },
    }
  }
  return ACTIONS[interaction] === 'R'
    ? { client: DESTINATION, server: SOURCE }
    : { client: SOURCE, server: DESTINATION }
}

function userOf({ agent, interaction }: AuditedEvent): AuditEventAgent | undefined {
  const type = { coding: [isWrite(interaction) ? AUTHOR : RECIPIENT] }
  switch (agent.kind) {
    case 'user':
      return {
        type,
        role: [{ coding: [{ system: 'urn:sandbox-emr:role', code: agent.role }] }],
        who: { identifier: { system: AGENT_SYSTEMS.user, value: agent.id }, display: agent.name },
        altId: agent.id,
        name: agent.name,
        requestor: true,
      }
    case 'call':
      return {
        type,
        who: { identifier: { system: AGENT_SYSTEMS.call, value: agent.id }, display: `Live call ${agent.id}` },
        altId: agent.id,
        requestor: true,
      }
    case 'unknown':
    case 'server':
      return undefined
  }
}

const AUTHOR: Coding = { system: PARTICIPATION, code: 'AUT', display: 'author (originator)' }
const RECIPIENT: Coding = { system: PARTICIPATION, code: 'IRCP', display: 'information recipient' }

const isWrite = (interaction: Access['interaction']): boolean => ['C', 'U', 'D'].includes(ACTIONS[interaction])

/** The entities of an event: the resource, the query or the detail, and the patient. */
function entitiesOf(event: AuditedEvent, patient: string | undefined): Pick<AuditEvent, 'entity'> {
  const { query, detail, interaction } = event
  const what = whatOf(event)
  const object = { type: { system: ENTITY_TYPES, code: '2', display: 'System Object' } }
  const inRole = (code: string, display: string) => ({ role: { system: ROLES, code, display } })
  const entity: AuditEventEntity[] = []
  if (what !== undefined) entity.push({ ...object, what, ...inRole('4', 'Domain Resource') })
  if (query !== '') entity.push({ ...object, ...inRole('24', 'Query'), query: Buffer.from(query).toString('base64') })
  if (detail !== '' && interaction !== 'gap') entity.push({ ...object, ...inRole('20', 'Job'), name: detail })
  if (patient !== undefined) {
    const type = { system: ENTITY_TYPES, code: '1', display: 'Person' }
    entity.push({ what: { reference: `Patient/${patient}` }, type, ...inRole('1', 'Patient') })
  }
  return entity.length === 0 ? {} : { entity }
}

function whatOf({ type, id, version }: Pick<Access, 'type' | 'id' | 'version'>): Reference | undefined {
  if (type === '' || id === '') return undefined
  return { reference: version === 0 ? `${type}/${id}` : `${type}/${id}/_history/${version}` }
}
