-- A stopped workbench has no pod, and that is what its owner asked for.
hs = {status = "Progressing", message = "starting"}
local annotations = type(obj.metadata.annotations) == "table" and obj.metadata.annotations or {}
if annotations["kubeflow-resource-stopped"] ~= nil then
  hs.status = "Suspended"
  hs.message = "stopped"
  return hs
end
local status = type(obj.status) == "table" and obj.status or {}
local state = type(status.containerState) == "table" and status.containerState or {}
if type(status.readyReplicas) == "number" and status.readyReplicas > 0 then
  hs.status = "Healthy"
  hs.message = ""
elseif type(state.waiting) == "table" then
  hs.message = state.waiting.reason or "starting"
  local broken = {ImagePullBackOff = true, ErrImagePull = true, InvalidImageName = true, CrashLoopBackOff = true}
  if broken[hs.message] then
    hs.status = "Degraded"
  end
end
return hs
