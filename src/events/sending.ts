/** The parts of an attempt to notify: whose rights it has, and how the systems of clinics are reached. */
import type { ClinicSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import type { MessageConnector, TellExchange } from '../core/ports.ts'
import { handlerOf, type Providers, standard } from '../core/provider.ts'
import { FhirError } from '../fhir/outcome.ts'
import { about, type Outbound, telling } from '../integrations/outbound-request.ts'
import type { Versioned } from '../repository/repository.ts'
import type { NumberedEvent } from './log.ts'
import type { SubscriptionState } from './state.ts'

export interface SendingServices {
  readonly providers: Providers
  readonly outbound: Outbound
  readonly messages: MessageConnector
  /** How much the journal keeps of clinics that have not set it. */
  readonly journal?: ClinicSettings['journal']
}

export interface Sending extends SendingServices {
  readonly settings: ClinicSettings
  /** With the rights of the owner. */
  readonly reader: Context
  /** Subscription.id. */
  readonly id: string
  readonly state: SubscriptionState
}

/** The ids of exchanges are told where the journal keeps them. */
export const toldIn = ({ settings, journal }: Sending, tell: TellExchange): TellExchange | undefined =>
  (settings.journal ?? journal ?? 'off') === 'off' ? undefined : tell

export const outboundOf = (sending: Sending, tell: TellExchange): Outbound =>
  about(telling(sending.outbound, toldIn(sending, tell)), sending.reader.clinic, 'subscription')

/** Reads of events. */
export interface Reading {
  readonly reader: Context
  /** Absent: the rules of types do not matter, as the reader is the client itself. */
  readonly providers?: Providers
}

/** The version as the reader reads it; undefined where it may not, or there is none to read. */
export function readableBy(
  { providers, reader }: Reading,
  { focus, version }: NumberedEvent,
): Promise<Versioned | undefined> {
  const [type = '', id = ''] = focus.split('/')
  const vread = providers === undefined ? standard.vread : handlerOf(providers, type, 'vread')
  return orUndefined(vread(reader, type, id, version))
}

/** The current version of `Type/id`; undefined as above. */
export function currentBy({ providers, reader }: Reading, address: string): Promise<Versioned | undefined> {
  const [type = '', id = ''] = address.split('/')
  const read = providers === undefined ? standard.read : handlerOf(providers, type, 'read')
  return orUndefined(read(reader, type, id))
}

async function orUndefined<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof FhirError && error.status < 500) return undefined
    throw error
  }
}
