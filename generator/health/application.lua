-- An Application is as healthy as Argo CD says it is; without this, waves of Applications do not wait.
hs = {status = "Progressing", message = "waiting for the first sync"}
if obj.status ~= nil and obj.status.health ~= nil and obj.status.health.status ~= nil then
  hs.status = obj.status.health.status
  hs.message = obj.status.health.message or ""
end
return hs
