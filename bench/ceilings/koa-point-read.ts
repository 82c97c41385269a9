/** Ceiling: Koa and its router, one point read of SQLite per request, sending the stored text. */
import { Router } from '@koa/router'
import Koa from 'koa'
import { FHIR_JSON, pointRead, serve } from './ceiling.ts'

const read = pointRead()
const router = new Router()
router.get('/Patient/:id', (koa) => {
  const row = read.get('Patient', koa.params.id ?? '')
  if (row === undefined) return
  koa.type = FHIR_JSON
  koa.body = row.text
})
serve(new Koa().use(router.routes()).callback())
