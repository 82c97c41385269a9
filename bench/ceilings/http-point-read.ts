/** Ceiling: node:http alone, one point read of SQLite per request, sending the stored text. */
import { FHIR_JSON, pointRead, serve } from './ceiling.ts'

const read = pointRead()
serve(({ url = '' }, response) => {
  const row = read.get('Patient', url.slice('/Patient/'.length))
  response.writeHead(row === undefined ? 404 : 200, { 'content-type': FHIR_JSON })
  response.end(row?.text)
})
