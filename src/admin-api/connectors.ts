/** The connectors of a clinic, for its own staff: POST /clinics/{id}/connectors/{crm|insurance|messages}/$try. */
import type { Router } from '@koa/router'
import { LRUCache } from 'lru-cache'
import { readSettings } from '../clinics/settings.ts'
import { FhirError, notFound } from '../fhir/outcome.ts'
import { ownClinic } from '../http/authenticate.ts'
import { tellUserAccess } from '../http/exchange.ts'
import { CONNECTORS, type TrialParts, tryConnector } from '../integrations/trial.ts'
import type { ConnectedSystem } from '../record/journal/exchange.ts'
import type { Repository } from '../repository/repository.ts'

/** Milliseconds between two tries of one connector, in one process: a system of somebody else is not to be flooded from here. */
const BETWEEN_TRIES = 1_000
/** Tries that are remembered. */
const REMEMBERED = 1_000

/** @param router of the clinics */
export function addConnectorRoutes(router: Router, repository: Repository, parts: TrialParts): void {
  const triedAt = new LRUCache<string, number>({ max: REMEMBERED })

  router.post('/:clinic/connectors/:connector/$try', async (koa) => {
    const clinic = ownClinic(koa, 'try connector', 'A connector')
    const connector = connectorOf(koa.params.connector)
    tellUserAccess(koa, `try connector ${connector}`)
    takeTurn(triedAt, `${clinic} ${connector}`, Date.now())
    const settings = await readSettings(repository, clinic)
    const since = performance.now()
    const trial = await tryConnector(connector, clinic, settings, parts)
    koa.body = { connector, ...trial, duration: Math.round((performance.now() - since) * 10) / 10 }
  })
}

/** @throws FhirError 404 */
function connectorOf(name: string | undefined): ConnectedSystem {
  const connector = CONNECTORS.find((one) => one === name)
  if (connector === undefined) throw notFound(`There is no connector '${name}'; there are ${CONNECTORS.join(', ')}`)
  return connector
}

/** @throws FhirError 429 */
function takeTurn(triedAt: LRUCache<string, number>, key: string, now: number): void {
  if (now - (triedAt.get(key) ?? 0) < BETWEEN_TRIES) {
    const diagnostics = 'The connector was tried a moment ago; wait for a second'
    throw new FhirError(429, { code: 'throttled', diagnostics }, { 'retry-after': '1' })
  }
  triedAt.set(key, now)
}
