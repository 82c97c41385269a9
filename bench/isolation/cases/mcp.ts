/** Requests of the Model Context Protocol, each of which makes a FHIR request. */
import { flood, type HostileCase, type HostileRequest, inParallel, times } from '../hostile-case.ts'

const CODE = 'http://loinc.org|85354-9'

const callTool = (name: string, args: object): HostileRequest => ({
  method: 'POST',
  path: '/mcp/fhir',
  headers: {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': '2025-11-25',
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
})

const NAMES = times(25_000, () => ({ family: 'Abernathy', given: ['Ruth'] }))

export const mcp: readonly HostileCase[] = [
  {
    name: 'mcp-searches',
    about: '50 connections call fhir_search with chains and _has for 3 s, pages of 50 with _total=accurate',
    stored: 'records',
    attack: () =>
      flood(50, 3, [
        callTool('fhir_search', {
          type: 'Observation',
          query: { 'subject:Patient.name:contains': 'er', _total: 'accurate' },
          count: 50,
        }),
        callTool('fhir_search', {
          type: 'Patient',
          query: { '_has:Observation:subject:code': CODE, _total: 'accurate' },
          count: 50,
        }),
      ]),
  },
  {
    name: 'mcp-arguments-of-a-megabyte',
    about: 'fhir_validate and fhir_match with 1 MB of arguments, 40 at once',
    stored: 'records',
    attack: () => {
      const resource = { resourceType: 'Patient', name: NAMES }
      const tools = ['fhir_validate', 'fhir_match'] as const
      return inParallel(
        40,
        times(40, (n) => callTool(tools[n % 2] ?? '', { resource })),
      )
    },
  },
]
